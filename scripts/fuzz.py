#!/usr/bin/env python3
"""Fuzzes every reader: files of all formats, words, checkpoints, proofs. Builds fuzz/ with coverage (stable Rust; a C++
compiler, for libFuzzer) and runs each target for SECONDS, as many at a time as there are cores.

    scripts/fuzz.py --seconds 30 [--only metis,dot] [--inputs 1000000] [--jobs 2]

With --inputs, a target also ends after so many inputs. A finding is a panic, more than 2 seconds of CPU, or more memory
than 50 times the input and 64 MB. Its input is kept in fuzz/findings/TARGET, and the command that repeats it is
printed. What a target has learnt is kept in fuzz/corpus/TARGET, and used the next time. Exit status 0: no finding; 1: a
finding; 2: it cannot be built; 77: there is no C++ compiler.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FUZZ = os.path.join(ROOT, "fuzz")
TRIPLE = "x86_64-unknown-linux-gnu"
# What `cargo fuzz` asks of a nightly compiler, without the sanitizers that need one.
FLAGS = ["--cfg", "fuzzing", "-Cpasses=sancov-module"] + ["-Cllvm-args=-sanitizer-coverage-" + what for what in (
    "level=4", "inline-8bit-counters", "pc-table", "trace-compares")]
# An input that is read for longer is killed; the watch of the target itself counts CPU seconds.
HANG = 60


def has_compiler():
    return any(shutil.which(name) for name in (os.environ.get("CXX", "c++"), "g++", "clang++"))


def build():
    """Builds the targets; returns the program."""
    folder = os.environ.get("CARGO_TARGET_DIR") or os.path.join(FUZZ, "target")
    environment = dict(os.environ, RUSTFLAGS=" ".join(FLAGS), CARGO_TARGET_DIR=folder, CARGO_INCREMENTAL="0")
    command = [os.environ.get("CARGO", "cargo"), "build", "--release", "--locked", "--target", TRIPLE]
    if subprocess.run(command, cwd=FUZZ, env=environment, check=False).returncode != 0:
        sys.exit(2)
    return os.path.join(folder, TRIPLE, "release", "readers")


def targets(program):
    listed = subprocess.run([program], env=dict(os.environ, TARGET="list"), check=True, stdout=subprocess.PIPE)
    return listed.stdout.decode().split()


def fuzz(program, target, options):
    """Runs a target; returns its inputs, its seconds, the size of what it has learnt, and its output if it failed."""
    corpus, findings = (os.path.join(FUZZ, name, target) for name in ("corpus", "findings"))
    for folder in (corpus, findings):
        os.makedirs(folder, exist_ok=True)
    command = [program, corpus, os.path.join(FUZZ, "seeds", target), f"-max_total_time={options.seconds}",
               f"-runs={options.inputs}", f"-timeout={HANG}", "-rss_limit_mb=4096", "-print_final_stats=1",
               f"-artifact_prefix={findings}/", "-verbosity=1"]
    began = time.monotonic()
    run = subprocess.run(command, env=dict(os.environ, TARGET=target), check=False, stderr=subprocess.STDOUT,
                         stdout=subprocess.PIPE, errors="replace")
    inputs = re.findall(r"stat::number_of_executed_units:\s*(\d+)", run.stdout)
    # After a finding there are no statistics, but each line of progress begins with the number of inputs.
    inputs = inputs or re.findall(r"^#(\d+)\t", run.stdout, re.MULTILINE) or ["0"]
    output = run.stdout if run.returncode != 0 else None
    return int(inputs[-1]), time.monotonic() - began, len(os.listdir(corpus)), output


def tell(program, target, output):
    """What was found, without the lines of progress."""
    lines = [line for line in output.splitlines() if not re.match(r"#\d+\t|INFO:|stat::", line)]
    print("    " + "\n    ".join(lines[-40:]))
    written = re.search(r"Test unit written to (\S+)", output)
    if written:
        print(f"    again: TARGET={target} {program} {written.group(1)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=int, default=30, help="of each target (default: 30)")
    parser.add_argument("--inputs", type=int, default=-1, help="of each target, at most (default: any number)")
    parser.add_argument("--only", help="targets, with commas between them (default: all)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="targets at a time (default: one a core)")
    options = parser.parse_args()
    if not has_compiler():
        print("fuzz: NOT RUN: there is no C++ compiler, which libFuzzer needs (Debian: apt-get install g++)", file=sys.stderr)
        return 77
    program = build()
    known = targets(program)
    chosen = options.only.split(",") if options.only else known
    for name in chosen:
        if name not in known:
            sys.exit(f"fuzz: '{name}' is no target; targets: {', '.join(known)}")
    print(f"{'target':<16} {'inputs':>10} {'seconds':>8} {'kept':>6}", flush=True)
    total, failed = 0, []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = {pool.submit(fuzz, program, target, options): target for target in chosen}
        for run in concurrent.futures.as_completed(runs):
            target, (inputs, seconds, kept, output) = runs[run], run.result()
            total += inputs
            print(f"{target:<16} {inputs:>10} {seconds:>8.0f} {kept:>6}{'' if output is None else '  FINDING'}", flush=True)
            if output is not None:
                failed.append(target)
                tell(program, target, output)
    print(f"{total} inputs of {len(chosen)} targets, findings: {', '.join(sorted(failed)) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Solves a hundred small problems of all kinds with ccsched, and checks and forges every schedule file.

    scripts/test-bounds.py --program target/release/ccsched

Each file is checked by `scripts/check_bounds.py` and by `ccsched verify`, which share no code. Then it is forged and
changed at random (scripts/checker/forgery.py): what is certainly wrong must be refused by both, no certificate may
prove more steps than the schedule has, and on everything the two must agree. Exit status 0 if all of that holds.
Needs nothing but Python.
"""
import argparse
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from check_bounds import NO_SCHEDULE, check, read, verdict  # noqa: E402
from checker import forgery  # noqa: E402
from checker.ground import Refused  # noqa: E402

ALL = ("oab", "aab", "oas", "aas", "aog")
SCATTERS = ("oas", "aas", "aog")
SUMS = ("reduce", "reduce-scatter", "all-reduce")
BOTH = ("wormhole", "store-and-forward")
BROADCASTS = ("oab", "aab")
COPIES = ["--multicast", "switch"]
PAIRS = "source,destination,bytes,count\n0,3,100,2\n1,2,,1\n2,0,50,3\n3,1,,1\n1,0,,1\n"
GROUPS = "allgather 00,01,02,12\nscatter 10,20,21\nalltoall 12,22\nbroadcast 00,10,11\n"
SIZES = "source,destination,bytes\n0,3,100\n1,2,7\n2,0,50\n3,1,20\n1,0,90\n0,3,5\n0,3,60\n0,3,60\n"
REDUCED = "reducescatter 00,01,02,12\nreduce 10,20,21\nreduce 12,22\nreducescatter 00,10,11\n"
SUMMED = "allreduce 00,01,02,12\nreducescatter 10,20,21\nallgather 12,22\nbroadcast 00,10,11\nreduce 12,22\n"
COMBINED = "00;01;12,22,640\n21;20,22,10\n02,11\n"
LONG = "".join(f"{line} bytes={10 * i + 3}\n" for i, line in enumerate(GROUPS.splitlines()))
CSV = "from,to,capacity\na,b,2\nb,c,1\nc,d,3\nd,a,1\na,c,1\nd,e,1\n"

# Network, collectives, switchings, options. Each row stands for all combinations.
KINDS = (
    ("kautz:2,2", ALL, BOTH, ([], ["--ports", "1"])),
    ("petersen", ALL, BOTH, ([],)),
    ("ring:6,half", ALL, BOTH, ([],)),
    ("ring:5,simplex", ALL, BOTH, ([],)),
    ("mesh:3x3", ALL, BOTH, ([], ["--ports", "2"])),
    ("hypercube:3,width=2", ALL, BOTH, ([],)),
    ("full-binary-tree:15", ALL, BOTH, ([], ["--ports", "1"])),
    ("mesh:2x3,half", SCATTERS, BOTH, (["--ports", "1", "--routing", "slack:1"],)),
    ("debruijn:2,3", SCATTERS, BOTH, (["--routing", "any"], ["--routing", "any", "--ports", "1"])),
    ("ring:6", SCATTERS, BOTH, (["--routing", "slack:2"], ["--routing", "slack:4"])),
    ("torus:3x3", SCATTERS, BOTH, (["--fail-link", "00-01", "--fail-node", "22"],)),
    ("torus:3x3", ("aas",), BOTH, (["--routing", "dimension-order"], ["--routing", "balanced"])),
    ("binary-tree:8,grow=2", ("oab", "aab", "aas"), BOTH, ([],)),
    ("fat-tree:8", ("oab", "aab", "aas"), ("wormhole",), ([], ["--routing", "dmodk"])),
    ("omega:8", ("oab", "oas", "aas"), ("wormhole",), ([],)),
    ("clos:2,3,3", ("aab", "aas"), BOTH, ([], ["--routing", "updown"])),
    ("dragonfly:2,2,1", ("aas", "oas"), BOTH, (["--routing", "lgl"],)),
    ("two-switch:3,2", ("aas",), ("wormhole",), ([],)),
    ("debruijn:2,3", ("oas", "oab", "aab"), BOTH, (["--senders", "000", "--source", "000"],)),
    ("ring:4", ("traffic",), BOTH, (["--pairs", "PAIRS"], ["--pairs", "PAIRS", "--ports", "1"])),
    ("ring:4", ("traffic",), ("wormhole",), (["--pairs", "SIZES", "--timed"], ["--pairs", "SIZES", "--minimize", "time"])),
    ("ring:4,half", ("traffic",), ("wormhole",), (["--pairs", "SIZES", "--timed", "--ports", "1"],)),
    ("ring:4", ("traffic",), ("wormhole",), (["--pairs", "SIZES", "--timed", "--delay", "0-1=3us,2=200ns"],
                                             ["--pairs", "SIZES", "--minimize", "time", "--delay", "0-1=3us"])),
    ("ring:4,half", ("traffic",), ("wormhole",), (["--pairs", "SIZES", "--timed", "--ports", "1", "--delay", "0:1=1us,3=90ns"],)),
    ("CSV", ALL, BOTH, ([],)),
    ("CSV", SUMS, BOTH, ([],)),
    ("dgx1:2", ALL, ("hosts",), ([],)),
    ("rail:2,3,3", (*ALL, *SUMS), ("hosts",), ([], ["--ports", "1"])),
    ("rail:3,4,2", ("all-reduce",), ("wormhole", "hosts"), ([],)),
    ("ring:5", ALL, ("hosts",), ([],)),
    ("dragonfly:2,1,1", ("aab", "aas"), ("hosts",), ([],)),
    ("kautz:2,2", SUMS, BOTH, ([], ["--ports", "1"])),
    ("ring:6", SUMS, BOTH, ([],)),
    ("mesh:2x3,half", SUMS, BOTH, ([],)),
    ("binary-tree:4", SUMS, BOTH, ([],)),
    ("mesh:3x3", ("groups",), BOTH, (["--group", "GROUPS"], ["--group", "GROUPS", "--ports", "1"])),
    ("mesh:3x3,half", ("groups",), BOTH, (["--group", "GROUPS"],)),
    ("mesh:3x3", ("groups",), BOTH, (["--group", "LONG"],)),
    ("torus:3x3", ("groups",), ("store-and-forward",), (["--group", "GROUPS", "--relays", "all"],)),
    *((network, ("groups",), BOTH, (["--group", file], ["--group", file, "--ports", "1"]))
      for network in ("mesh:3x3", "mesh:3x3,half") for file in ("REDUCED", "SUMMED")),
    ("torus:3x3", ("groups",), ("store-and-forward",), (["--group", "REDUCED", "--relays", "all"], ["--group", "SUMMED", "--relays", "all"])),
    ("mesh:3x3", ("traffic",), BOTH, (["--traffic", "COMBINED"],)),
    ("ring:5", ("scan",), BOTH, ([], ["--ports", "1"])),
    ("kautz:2,2", ("barrier",), BOTH, ([], ["--ports", "1"])),
    ("mesh:2x3,half", ("barrier",), BOTH, ([],)),
    ("dgx1:2", ("barrier",), ("hosts",), ([],)),
    ("kautz:2,2", ("all-reduce",), BOTH, (["--parts", "1"], ["--parts", "1", "--ports", "1"])),
    ("mesh:2x3,half", ("all-reduce",), BOTH, (["--parts", "1"],)),
    ("kautz:2,2", (*ALL, *SUMS), BOTH, (["--pieces", "2"], ["--pieces", "3", "--ports", "1"])),
    ("mesh:2x3,half", (*ALL, *SUMS), BOTH, (["--pieces", "2"],)),
    ("CSV", (*ALL, *SUMS), BOTH, (["--pieces", "3"],)),
    ("dgx1:2", BROADCASTS, ("hosts",), (["--pieces", "2"],)),
    ("full-binary-tree:15", BROADCASTS, BOTH, (["--pieces", "2", "--ports", "1"],)),
    ("mesh:3x3", (*BROADCASTS, *SUMS), ("wormhole",), (COPIES, [*COPIES, "--ports", "1"])),
    ("mesh:2x3,half", (*BROADCASTS, *SUMS), ("wormhole",), (COPIES,)),
    ("dgx-a100:1", (*BROADCASTS, *SUMS), ("wormhole", "hosts"), (COPIES,)),
    ("dgx1:2", (*BROADCASTS, "reduce"), ("hosts",), (COPIES, [*COPIES, "--ports", "1"])),
    ("rail:2,3,3", (*BROADCASTS, *SUMS), ("hosts",), (COPIES, [*COPIES, "--ports", "1"])),
    ("fat-tree:8", (*BROADCASTS, *SUMS), ("wormhole",), ([*COPIES, "--pieces", "2"],)),
    ("CSV", ("aas",), BOTH, (["--equal-links", "--fail-link", "a-c", "--receivers", "a,b,c"],)),
)


def problems():
    for network, collectives, switchings, options in KINDS:
        for collective, switching, extra in itertools.product(collectives, switchings, options):
            if collective in ("oab", "aab") and "--routing" in extra:
                continue
            if collective != "oas" and "--senders" in extra:
                extra = extra[2:] if collective == "oab" else []
            elif "--senders" in extra:
                extra = extra[2:]
            yield ["-t", network, "-c", collective, "--switching", switching, *extra]


def solve(program, problem, folder, number):
    """Solves a problem; returns the path of the schedule file."""
    path = os.path.join(folder, f"{number}.json")
    files = {"PAIRS": PAIRS, "GROUPS": GROUPS, "SIZES": SIZES, "LONG": LONG, "REDUCED": REDUCED, "SUMMED": SUMMED, "COMBINED": COMBINED, "CSV": CSV}
    for name, text in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    words = [os.path.join(folder, word) if word in files else word for word in problem]
    # Few iterations: a schedule above its bounds is as good here, and a refutation would take long.
    command = [program, "solve", *words, "-q", "-o", path, "--islands", "1", "--iterations", "200"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if run.returncode != 0:
        raise Refused(f"exit status {run.returncode}: {run.stderr.strip()}")
    return path


def verified(program, files, folder):
    """Which of some files `ccsched verify` finds valid."""
    names = [os.path.join(folder, f"forged-{i}.json") for i in range(len(files))]
    for name, file in zip(names, files):
        with open(name, "w", encoding="utf-8") as stream:
            json.dump(file, stream)
    run = subprocess.run([program, "verify", *names], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1, 2):
        raise Refused(f"ccsched verify ends with status {run.returncode}: {run.stderr.strip()}")
    lines = set(run.stdout.splitlines())
    return [any(line.startswith(f"{name}: valid: ") for line in lines) for name in names]


def compare(program, file, model, folder, rng, number):
    """Forges and changes a file, and compares the two checkers; returns how many were accepted and refused."""
    forged = [(label, one, True) for label, one in forgery.wrong(file, model, rng)]
    for at, bound in forgery.certificates(file, model, rng, number):
        forged.append(("random certificate", forgery.put(file, ["bounds", at], bound), False))
    forged += [(label, one, False) for label, one in forgery.changes(file, rng, 5 * number)]
    seen = verified(program, [one for _, one, _ in forged], folder)
    counts = [0, 0]
    for (label, one, must), is_valid in zip(forged, seen):
        why = verdict(one)
        counts[why is not None] += 1
        if is_valid != (why is None) or (must and is_valid):
            verify = "valid" if is_valid else "invalid"
            path = os.path.join(tempfile.gettempdir(), "ccsched-forged.json")
            with open(path, "w", encoding="utf-8") as stream:
                json.dump(one, stream)
            raise Refused(f"{label}: ccsched verify says {verify}, check_bounds.py says {why or 'valid'}; kept as {path}")
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="target/release/ccsched", help="the program (target/release/ccsched)")
    parser.add_argument("--every", type=int, default=1, help="take only every Nth problem (1)")
    parser.add_argument("--number", type=int, default=4, help="random certificates of each bound (4)")
    parser.add_argument("--keep", help="a folder for the schedule files")
    options = parser.parse_args()
    solved, bad, proved, counts = 0, 0, 0, [0, 0]
    with tempfile.TemporaryDirectory() as folder:
        if options.keep:
            os.makedirs(options.keep, exist_ok=True)
        for number, problem in enumerate(problems()):
            if number % options.every:
                continue
            try:
                path = solve(options.program, problem, options.keep or folder, number)
                file = read(path)
                model, _, bounds = check(file)
                if not all(verified(options.program, [file], folder)):
                    raise Refused("ccsched verify does not find it valid")
                forgery.trial(file, model, verdict)
                more = compare(options.program, file, model, folder, random.Random(number), options.number)
            except (Refused, *NO_SCHEDULE) as why:
                bad += 1
                print(f"{' '.join(problem)}: {type(why).__name__}: {why}", file=sys.stderr)
                continue
            solved, proved = solved + 1, proved + len(bounds)
            counts = [a + b for a, b in zip(counts, more)]
    print(f"{solved} schedules with {proved} bounds checked; {sum(counts)} forgeries and changes, on which both checkers "
          f"agree: {counts[1]} refused, {counts[0]} right; {bad} failures")
    return 1 if bad or not solved else 0


if __name__ == "__main__":
    sys.exit(main())

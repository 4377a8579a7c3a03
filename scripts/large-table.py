#!/usr/bin/env python3
"""Writes the table of docs/results.md over all families of networks, collectives and switchings.

For each run: the seconds from the start of the program until the first schedule is verified and written, and the
steps of the best schedule as a multiple of the bound; `refused` where one schedule takes more memory than there is.
Prints a Markdown table, a row a network.

  scripts/large-table.py                          all networks, seed 1
  scripts/large-table.py --seeds 1,2,3 mesh:22x23 one of them; the worst of three seeds
  scripts/large-table.py --minutes 10             no run begins after ten minutes
  scripts/large-table.py --ports 1 ring:500       a terminal sends and receives one message a step
  scripts/large-table.py --routing updown --collectives aas   with a route for each pair
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

# About 500 terminals, and about 2,000.
NETWORKS = [
    ["mesh:22x23", "torus:22x23", "hypercube:9", "random-regular:500,4,1", "fat-tree:512",
     "full-binary-tree:511", "dragonfly:6,3,3", "slim-fly:16", "debruijn:2,9", "ring:500"],
    ["mesh:44x45", "torus:44x45", "hypercube:11", "random-regular:2000,4,1", "fat-tree:2048",
     "full-binary-tree:2047", "dragonfly:10,5,4", "slim-fly:31", "debruijn:2,11", "ring:2000"],
]
COLLECTIVES = ["oab", "oas", "aab", "aas"]
SWITCHINGS = ["wormhole", "store-and-forward"]
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
    parser.add_argument("networks", nargs="*", help="names of families [default: all of them]")
    parser.add_argument("--program", default=os.path.join(target, "release", "ccsched"))
    parser.add_argument("--islands", type=int, default=2)
    parser.add_argument("--seeds", default="1", help="as 1,2,3; the worst result is told")
    parser.add_argument("--limit", type=float, default=10, help="seconds of a run")
    parser.add_argument("--ports", default="all", help="as of solve [default: all]")
    parser.add_argument("--routing", default="minimal", help="as of solve [default: minimal]")
    parser.add_argument("--collectives", default=",".join(COLLECTIVES),
                        help="as oab,aas [default: all four]")
    parser.add_argument("--minutes", type=float, default=30, help="no run begins later")
    given = parser.parse_args()
    if not os.access(given.program, os.X_OK):
        parser.error(f"{given.program} is missing: make build first, or name it with --program")
    try:
        given.seeds = [int(seed) for seed in given.seeds.split(",")]
    except ValueError:
        parser.error(f"--seeds is a list of whole numbers, as 1,2,3, not '{given.seeds}'")
    given.collectives = given.collectives.split(",")
    if not set(given.collectives) <= set(COLLECTIVES):
        parser.error(f"--collectives is a list of {', '.join(COLLECTIVES)}")
    return given


def run(given, network, collective, switching, seed):
    """What a run into a file of its own tells."""
    with tempfile.TemporaryDirectory() as folder:
        return run_into(os.path.join(folder, "best.json"), given, network, collective, switching, seed)


def run_into(output, given, network, collective, switching, seed):
    """The seconds until the first schedule and until the end, the steps and the bound; None if it is refused."""
    command = [given.program, "solve", "-t", network, "-c", collective, "--switching", switching,
               "--ports", given.ports, "--routing", given.routing, "--islands", str(given.islands), "--seed", str(seed),
               "--time-limit", str(given.limit), "--json", "-v", "--output", output]
    begin = time.monotonic()
    first = None
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as program:
        said = []
        for line in program.stderr:
            said.append(line)
            if first is None and "found a schedule" in line:
                first = time.monotonic() - begin
        answer = program.stdout.read()
    end = time.monotonic() - begin
    if program.returncode not in (0, 1) or not answer.strip():
        if any("--memory" in line for line in said):
            return None
        sys.exit(f"large-table.py: {' '.join(command)} failed:\n{''.join(said)}")
    found = json.loads(answer)
    return (first if first is not None else end), end, found["steps"], found["lower_bound"]


def cell(given, network, collective, switching):
    """The worst over the seeds."""
    runs = [run(given, network, collective, switching, seed) for seed in given.seeds]
    if None in runs:
        return "refused"
    if any(steps is None for _, _, steps, _ in runs):
        return "none"
    first = max(first for first, _, _, _ in runs)
    end = max(end for _, end, _, _ in runs)
    steps, bound = max((steps, bound) for _, _, steps, bound in runs)
    late = f", ended after {end:.0f} s" if end > given.limit + max(1, given.limit / 10) else ""
    return f"{steps}/{bound} ({steps / bound:.2f}), {first:.1f} s{late}"


def main():
    given = arguments()
    networks = given.networks or [network for size in NETWORKS for network in size]
    begin = time.monotonic()
    head = [f"{c} {'S&F' if s == 'store-and-forward' else 'wormhole'}"
            for s in SWITCHINGS for c in given.collectives]
    print("| network | " + " | ".join(head) + " |")
    print("|---" * (len(head) + 1) + "|", flush=True)
    for network in networks:
        row = [f"`{network}`"]
        for switching in SWITCHINGS:
            for collective in given.collectives:
                is_late = time.monotonic() - begin > 60 * given.minutes
                row.append("not run" if is_late
                           else cell(given, network, collective, switching))
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()

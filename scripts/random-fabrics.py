#!/usr/bin/env python3
"""The all-to-all on random fabrics: how often `ccsched solve` reaches its lower bound.

Makes leaf-spine fabrics and three-level fat trees of 20 to 60 hosts, with random numbers of switches, random
hosts at every leaf and random widths of the trunks, solves each within a time limit, and prints a Markdown
table. A fabric follows from its number alone. Wants nothing but Python.

    scripts/random-fabrics.py --program target/release/ccsched --count 200 >table.md
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time


def hosts_at(rng, leaves):
    """Hosts by leaf: 20 to 60 in all, at least 1 at every leaf."""
    total = rng.randint(max(20, leaves), 60)
    hosts = [1] * leaves
    for _ in range(total - leaves):
        hosts[rng.randrange(leaves)] += 1
    return hosts


def attach(links, rng, leaves):
    names = []
    for leaf, count in enumerate(hosts_at(rng, leaves)):
        for number in range(count):
            names.append(f"n{leaf}-{number}")
            links.append((names[-1], f"leaf{leaf}", 1))
    return names


def leaf_spine(rng):
    """Every leaf has a trunk of random width to every spine; one trunk in ten is missing."""
    leaves, spines = rng.randint(2, 10), rng.randint(1, 4)
    links = []
    hosts = attach(links, rng, leaves)
    for leaf in range(leaves):
        trunks = [s for s in range(spines) if rng.random() < 0.9] or [rng.randrange(spines)]
        # The first spine reaches every leaf, so that the fabric is connected.
        for spine in sorted({0, *trunks}):
            links.append((f"leaf{leaf}", f"spine{spine}", rng.randint(1, 4)))
    return hosts, links


def fat_tree(rng):
    """Pods of leaves and aggregation switches below cores."""
    pods, per_pod, aggregation = rng.randint(2, 4), rng.randint(1, 3), rng.randint(1, 3)
    cores = rng.randint(1, 4)
    links = []
    hosts = attach(links, rng, pods * per_pod)
    for pod in range(pods):
        for upper in range(aggregation):
            for leaf in range(per_pod):
                links.append((f"leaf{pod * per_pod + leaf}", f"pod{pod}-{upper}", rng.randint(1, 4)))
            for core in range(cores):
                links.append((f"pod{pod}-{upper}", f"core{core}", rng.randint(1, 4)))
    return hosts, links


KINDS = {"leaf-spine": leaf_spine, "fat tree": fat_tree}


def write(path, kind, number):
    """The fabric of a number, as a file. Returns its hosts and its switches."""
    rng = random.Random(f"{kind} {number}")
    hosts, links = KINDS[kind](rng)
    vertices = sorted({v for a, b, _ in links for v in (a, b)})
    with open(path, "w", encoding="utf-8") as file:
        switches = [v for v in vertices if v not in set(hosts)]
        file.write(f'name = "{kind} {number}"\nlinks = "full-duplex"\nswitches = {json.dumps(switches)}\n')
        neighbours = {v: [] for v in vertices}
        for a, b, _ in links:
            neighbours[a].append(b)
            neighbours[b].append(a)
        file.write("[neighbours]\n")
        for v, others in neighbours.items():
            file.write(f"{v} = {json.dumps(others)}\n")
        file.write("[width]\n")
        wide = {}
        for a, b, width in links:
            if width > 1:
                wide.setdefault(a, []).append(f"{b} = {width}")
        for a, widths in wide.items():
            file.write(f"{a} = {{ {', '.join(widths)} }}\n")
    return len(hosts), len(switches)


def solve(options, path, extra):
    """The summary of a run, and its CPU seconds."""
    command = [options.program, "solve", "-t", path, "-c", "alltoall", "--json", "-q", "--islands", str(options.islands),
               "--time-limit", f"{options.seconds}s", *extra]
    before = os.times()
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    after = os.times()
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{run.stderr}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return json.loads(run.stdout.splitlines()[-1]), cpu


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="target/release/ccsched", help="the program (target/release/ccsched)")
    parser.add_argument("--count", type=int, default=200, help="fabrics, half of each kind (200)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first (0)")
    parser.add_argument("--seconds", type=float, default=10, help="time limit of a run (10)")
    parser.add_argument("--islands", type=int, default=2, help="islands (2)")
    parser.add_argument("--keep", help="a folder for the fabrics")
    options = parser.parse_args()
    rows = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or scratch
        os.makedirs(folder, exist_ok=True)
        for number in range(options.first, options.first + options.count):
            kind = list(KINDS)[number % 2]
            path = os.path.join(folder, f"{kind.replace(' ', '-')}-{number}.toml")
            hosts, switches = write(path, kind, number)
            begin = time.monotonic()
            line, cpu = solve(options, path, [])
            steps, bound = line["steps"], line["lower_bound"]
            is_at_bound = steps is not None and steps == bound
            rows.setdefault(kind, []).append((is_at_bound, cpu, steps, bound))
            if not is_at_bound:
                print(f"{path}: {hosts} hosts, {switches} switches: {steps} steps, bound {bound}, "
                      f"{cpu:.1f} s CPU, {time.monotonic() - begin:.1f} s", file=sys.stderr)
    print("\n## Random fabrics\n")
    print(f"The all-to-all on {options.count} random leaf-spine fabrics and three-level fat trees of 20 to 60 hosts, with "
          f"trunks of random width: at most {options.seconds:g} s a run, {options.islands} islands; "
          "`scripts/random-fabrics.py`.\n")
    print("| fabrics | number | at the bound | steps above it, the others | CPU s: median | 99 % | most |")
    print("|---|---|---|---|---|---|---|")
    for kind, runs in [*rows.items(), ("all", sum(rows.values(), []))]:
        reached = sum(at for at, *_ in runs)
        above = sorted(steps - bound for at, _, steps, bound in runs if not at)
        times = sorted(cpu for _, cpu, *_ in runs)
        rank = lambda share: times[min(len(times) - 1, int(share * len(times)))]
        others = ", ".join(map(str, above)) or "-"
        print(f"| {kind} | {len(runs)} | {reached} ({100 * reached / len(runs):.1f} %) | {others} | "
              f"{rank(0.5):.2f} | {rank(0.99):.2f} | {times[-1]:.2f} |")


if __name__ == "__main__":
    main()

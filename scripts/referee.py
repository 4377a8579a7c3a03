#!/usr/bin/python3
"""Runs exported schedules in SimGrid, a simulator that shares no code with ccsched.

In SimGrid the transfers over a link share its bandwidth. If all steps are free of conflicts, each one
lasts as long as one transfer, so that the schedule lasts steps x one transfer, exactly; a transfer
that is moved into a step in which one of its links is full makes it longer. Both are checked, from
the files of `ccsched export --to simgrid`, for both ways of switching, all collectives, capacities,
half-duplex links and fixed routes. `smpirun` replays the same traces; its barriers are messages, so
its times are equal up to 0.5 %.

A fluid simulator shows that steps are free of conflicts. It does not show what they gain over
messages that are all sent at once, because these share links without any loss in it.

usage: scripts/referee.py CCSCHED [LIMIT] ['OPTIONS OF SOLVE'..]
    a program; how many schedules of the list, all by default; more schedules, such as
    '-t fabric.ibnetdiscover -c aas --equal-links'
Debian: python3-simgrid and libsimgrid-dev.
"""
import multiprocessing
import os
import queue
import random
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

# Options of `ccsched solve`.
SCHEDULES = """
-t petersen -c aas
-t heawood -c aas
-t kautz:3,2 -c aas
-t kautz:3,2 -c aab
-t kautz:3,2 -c oab
-t kautz:3,2 -c aas --switching sf
-t hypercube:3 -c aas
-t hypercube:3 -c aab
-t hypercube:3 -c oab
-t hypercube:3 -c oas
-t hypercube:3 -c aog
-t hypercube:3 -c aas --ports 1
-t hypercube:3 -c aas --switching sf
-t hypercube:3 -c aab --switching sf
-t hypercube:3 -c oab --switching sf
-t hypercube:3 -c oas --switching sf
-t hypercube:3 -c aog --switching sf
-t hypercube:3 -c aas --fail-link 0-1 --fail-node 6
-t hypercube:3,width=2 -c aas
-t hypercube:3,width=2 -c oab
-t hypercube:3,width=2 -c oas
-t hypercube:3,width=2 -c aog
-t hypercube:3,width=2 -c aab --switching sf
-t hypercube:3,width=2 -c oab --switching sf
-t hypercube:3,width=2 -c oas --switching sf
-t hypercube:3,width=2 -c aog --switching sf
-t hypercube:3,width=3 -c aas --switching sf
-t binary-tree:8,up=2 -c aas
-t binary-tree:8,grow=2 -c aab
-t ring:8,half -c aas
-t ring:6,half,width=2 -c aas
-t ring:6,half -c aab --switching sf
-t mesh:3x3 -c aas
-t mesh:3x3 -c aas --switching sf
-t mesh:3x3 -c aas --routing dimension-order
-t torus:4x4 -c aas
-t omega:8 -c aab
-t fat-tree:8 -c aas --switching sf
-t fat-tree:8 -c aas --routing dmodk
-t ring:5 -c aas --routing slack:1
-t ring:6 -c traffic --permutation shift:2
-t ring:6 -c traffic --permutation shift:2 --switching sf
-t ring:6 --pairs PAIRS
-t ring:6,width=2 --pairs PAIRS
-t ring:6 --pairs PAIRS --switching sf
-t dragonfly:3,1,1 -c aas --routing lgl
-t FABRIC -c aas
-t FABRIC -c aab
-t FABRIC -c aas --routes TABLES
-t FABRIC -c aas --separate-cables --switching sf
-t swiss-t1 -c aas --time-limit 5s
""".strip().splitlines()

# A fabric with trunks: two cables that are one link of capacity 2, and links twice as fast as others.
TOPOLOGIES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "topologies")
FABRIC = os.path.join(TOPOLOGIES, "leaf-spine.ibnetdiscover")
TABLES = os.path.join(TOPOLOGIES, "leaf-spine.lfts")

# A traffic with messages of the same ends, which take several paths.
PAIRS = "source,destination,count\n0,3,4\n1,4,2\n5,0,1\n"

# Moved transfers of each schedule.
MOVED = 3


class Export:
    """The files of a folder that `ccsched export --to simgrid` has written."""

    def __init__(self, folder):
        self.platform = os.path.join(folder, "platform.xml")
        zone = xml.parse(self.platform).getroot().find("zone")
        self.routes, self.width = {}, {}
        rates = {link.get("id"): link.get("bandwidth") for link in zone.iter("link")}
        unit = float(rates["rate"].removesuffix("MBps"))
        # The seconds of a step.
        self.second = 1 / unit
        for link in zone.iter("link"):
            if link.get("sharing_policy") == "SHARED":
                rate = float(link.get("bandwidth").removesuffix("MBps"))
                self.width[link.get("id")] = round(rate / unit)
        for route in zone.iter("route"):
            links = [link.get("id") for link in route.iter("link_ctn")]
            ends = int(route.get("src")[1:]), int(route.get("dst")[1:])
            self.routes[ends] = [link for link in links if link in self.width]
        with open(os.path.join(folder, "traces.txt")) as names:
            traces = [os.path.join(folder, name.strip()) for name in names]
        sent, received = [], []
        for rank, trace in enumerate(traces):
            self.read(rank, trace, sent, received)
        assert len(sent) == len(received)
        for step, (these, those) in enumerate(zip(sent, received)):
            assert sorted(these) == sorted(those), f"step {step + 1}: sends without receives"
        self.steps = [[(a, b, size) for a, b, _, size in sorted(step)] for step in sent]

    @staticmethod
    def read(rank, trace, sent, received):
        """Adds the messages of a rank to those of each step; a step ends with a barrier."""
        step, open_requests = 0, 0
        with open(trace) as lines:
            for line in lines:
                word = line.split()
                assert int(word[0]) == rank
                while len(sent) <= step and word[1] != "finalize":
                    sent.append([])
                    received.append([])
                if word[1] == "isend":
                    sent[step].append((rank, int(word[2]), int(word[3]), int(word[4])))
                    open_requests += 1
                elif word[1] == "irecv":
                    received[step].append((int(word[2]), rank, int(word[3]), int(word[4])))
                    open_requests += 1
                elif word[1] == "waitall":
                    assert int(word[2]) == open_requests
                    open_requests = 0
                elif word[1] == "barrier":
                    step += 1
        assert open_requests == 0

    def moves(self, seed):
        """Schedules with one transfer in a wrong step, where a link of it is full already."""
        load = []
        for step in self.steps:
            uses = {}
            for a, b, _ in step:
                for link in self.routes[a, b]:
                    uses[link] = uses.get(link, 0) + 1
            load.append({link for link, count in uses.items() if count == self.width[link]})
        found = []
        for k, step in enumerate(self.steps):
            if len(step) > 1:
                for t in step:
                    route = set(self.routes[t[0], t[1]])
                    found += [(k, t, j) for j, full in enumerate(load) if j != k and route & full]
        for k, t, j in random.Random(seed).sample(found, min(MOVED, len(found))):
            moved = [list(step) for step in self.steps]
            moved[k].remove(t)
            moved[j].append(t)
            yield moved


def simulate(platform, schedules, results):
    """Runs schedules one after the other, with a barrier after each step; sends their times back."""
    # The import tells its settings on the standard error.
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    import simgrid
    os.dup2(kept, 2)

    flags = ["network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0"]
    engine = simgrid.Engine(["referee", "--log=root.thres:critical"] + [f"--cfg={f}" for f in flags])
    engine.load_platform(platform)
    times = []

    def run():
        for steps in schedules:
            begin = simgrid.Engine.clock
            for step in steps:
                host = simgrid.Host.by_name
                transfers = [
                    simgrid.Comm.sendto_async(host(f"h{a}"), host(f"h{b}"), size)
                    for a, b, size in step
                ]
                simgrid.Comm.wait_all(transfers)
            times.append(simgrid.Engine.clock - begin)

    simgrid.Actor.create("schedule", simgrid.Host.by_name("h0"), run)
    engine.run()
    results.put(times)


def simulated(platform, schedules):
    """The times of schedules. SimGrid has one simulation a process."""
    results = multiprocessing.Queue()
    child = multiprocessing.Process(target=simulate, args=(platform, schedules, results))
    child.start()
    times = results.get(timeout=300)
    child.join()
    return times


def replayed(folder):
    """The time of the replay by smpirun."""
    script = ["sh", os.path.join(folder, "replay.sh"), "--log=smpi_replay.thres:info"]
    said = subprocess.run(script, capture_output=True, text=True, timeout=300)
    times = [line.split()[-1] for line in said.stderr.splitlines() if "Simulation time" in line]
    assert said.returncode == 0 and times, said.stderr
    return float(times[-1])


def judge(program, options, folder):
    """Checks one schedule; its line of the report."""
    schedule, out = os.path.join(folder, "schedule.json"), os.path.join(folder, "simgrid")
    subprocess.run([program, "solve", "-q", "-o", schedule] + options, check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run([program, "export", schedule, "--to", "simgrid", "-o", out], check=True)
    export = Export(out)
    steps = len(export.steps)
    moves = list(export.moves(steps))
    times = simulated(export.platform, [export.steps] + moves)
    right, *wrong = [time / export.second for time in times]
    assert abs(right - steps) < 1e-6, f"{steps} steps last {right} s"
    assert all(time > right + 0.1 for time in wrong), f"a wrong step is not noticed: {wrong}"
    replay = replayed(out) / export.second
    assert abs(replay - steps) < 5e-3 * steps, f"the replay of {steps} steps lasts {replay} s"
    wrong = ", ".join(f"{time:.2f}" for time in wrong) or "none can be moved"
    return f"{right:.6f} s for {steps} steps, replay {replay:.4f} s; a transfer moved: {wrong}", wrong


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program, more = os.path.abspath(sys.argv[1]), sys.argv[2:]
    limit = int(more.pop(0)) if more and more[0].isdigit() else len(SCHEDULES)
    schedules = SCHEDULES[:limit] + more
    failed, noticed = 0, 0
    for options in schedules:
        with tempfile.TemporaryDirectory() as folder:
            pairs = os.path.join(folder, "pairs.csv")
            with open(pairs, "w") as file:
                file.write(PAIRS)
            files = {"PAIRS": pairs, "FABRIC": FABRIC, "TABLES": TABLES}
            words = [files.get(word, word) for word in options.split()]
            try:
                line, wrong = judge(program, words, folder)
                noticed += wrong[0].isdigit()
            except (AssertionError, subprocess.SubprocessError, OSError, queue.Empty) as why:
                line, failed = f"FAILED: {why}", failed + 1
            print(f"referee: {options}: {line}", flush=True)
    if noticed < len(schedules) // 2:
        print("referee: FAILED: too few schedules had a transfer to move")
        failed += 1
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

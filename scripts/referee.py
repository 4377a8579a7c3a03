#!/usr/bin/python3
"""Runs exported schedules in SimGrid, a simulator that shares no code with ccsched.

In SimGrid the transfers over a link share its bandwidth. If all steps are free of conflicts, each one
lasts as long as one transfer, so that the schedule lasts steps x one transfer, exactly; a transfer
that is moved into a step in which one of its links is full makes it longer. Both are checked, from
the files of `ccsched export --to simgrid`, for both ways of switching, all collectives, capacities,
half-duplex links and fixed routes. `smpirun` replays the same traces; its barriers are messages, so
its times are equal up to 0.5 %.

Messages of different lengths: a step lasts as long as its longest message, and each transfer of a timed
schedule ends when the file says, to the microsecond.

A fluid simulator shows that steps are free of conflicts. It does not show what they gain over
messages that are all sent at once, because these share links without any loss in it.

usage: scripts/referee.py CCSCHED [LIMIT] ['OPTIONS OF SOLVE'..]
    a program; how many schedules of the list, all by default; more schedules, such as
    '-t fabric.ibnetdiscover -c aas --equal-links'
Debian: python3-simgrid and libsimgrid-dev.
"""
import json
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

# The same for messages of different lengths.
SIZED = """
-t fat-tree:8 --pairs SIZES --timed
-t ring:6 --pairs SIZES --timed
-t ring:6,width=2 --pairs SIZES --timed
-t ring:6,half --pairs SIZES --timed
-t random-regular:8,3,1 --pairs SIZES --timed
-t fat-tree:8 --pairs SIZES --timed --ports 1
-t fat-tree:8 --pairs SIZES --timed --piece-bytes 20000
-t ring:6 --pairs SIZES --minimize time
-t ring:6,half --pairs SIZES --minimize time
-t fat-tree:8 --pairs SIZES --minimize time
""".strip().splitlines()

# A fabric with trunks: two cables that are one link of capacity 2, and links twice as fast as others.
TOPOLOGIES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "topologies")
FABRIC = os.path.join(TOPOLOGIES, "leaf-spine.ibnetdiscover")
TABLES = os.path.join(TOPOLOGIES, "leaf-spine.lfts")

# A traffic with messages of the same ends, which take several paths.
PAIRS = "source,destination,count\n0,3,4\n1,4,2\n5,0,1\n"

# A traffic with lengths, of all pairs of six vertices; links have 1 MB/s, so that a byte takes 1 us.
DRAWN = random.Random(1)
SIZES = "".join(f"{a},{b},{DRAWN.choice([DRAWN.randrange(1, 99), DRAWN.randrange(1, 99999)])}\n"
                for a in range(6) for b in range(6) if a != b)

# Seconds up to which times are equal.
EQUAL = 1e-6

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
        self.timed = self.starts(traces)
        if self.timed:
            return
        sent, received = [], []
        for rank, trace in enumerate(traces):
            self.read(rank, trace, sent, received)
        assert len(sent) == len(received)
        for step, (these, those) in enumerate(zip(sent, received)):
            assert sorted(these) == sorted(those), f"step {step + 1}: sends without receives"
        self.steps = [[(a, b, size) for a, b, _, size in sorted(step)] for step in sent]

    @staticmethod
    def starts(traces):
        """The transfers of a timed schedule with their starts in seconds, if ranks compute between them."""
        sent, received, is_timed = [], [], False
        for rank, trace in enumerate(traces):
            now = 0
            with open(trace) as lines:
                for line in lines:
                    word = line.split()
                    if word[1] == "compute":
                        now, is_timed = now + float(word[2]) / 1e9, True
                    elif word[1] == "isend":
                        sent.append((int(word[3]), rank, int(word[2]), int(word[4]), now))
                    elif word[1] == "irecv":
                        received.append((int(word[3]), int(word[2]), rank, int(word[4]), now))
        if not is_timed:
            return None
        assert len(sent) == len(received)
        for one, other in zip(sorted(sent), sorted(received)):
            assert one[:4] == other[:4] and abs(one[4] - other[4]) < EQUAL, (one, other)
        return [(a, b, size, start) for _, a, b, size, start in sorted(sent)]

    def ends(self):
        """The planned ends of a timed schedule."""
        return [start + size / 1e6 * self.second for *_, size, start in self.timed]

    def shifts(self, seed):
        """Timed schedules with one transfer that starts with another one, over a link for one."""
        alone = [{link for link in self.routes[a, b] if self.width[link] == 1}
                 for a, b, *_ in self.timed]
        pairs = [(i, j) for i, links in enumerate(alone) for j, others in enumerate(alone)
                 if i != j and links & others and self.timed[i][3] != self.timed[j][3]]
        for i, j in random.Random(seed).sample(pairs, min(MOVED, len(pairs))):
            shifted = list(self.timed)
            shifted[i] = (*shifted[i][:3], shifted[j][3])
            yield shifted

    def due(self, steps):
        """The time of steps that are free of conflicts."""
        longest = [max((size for *_, size in step), default=0) for step in steps]
        return sum(longest) / 1e6 * self.second

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
        """Schedules with one transfer in a wrong step, where a link of it is full already, and then takes
        longer than any message of the step."""
        load, longest = [], []
        for step in self.steps:
            uses, sizes = {}, {}
            for a, b, size in step:
                for link in self.routes[a, b]:
                    uses[link] = uses.get(link, 0) + 1
                    sizes[link] = sizes.get(link, 0) + size
            full = (link for link, count in uses.items() if count == self.width[link])
            load.append({link: sizes[link] for link in full})
            longest.append(max((size for *_, size in step), default=0))

        def shows(t, j):
            most = max(longest[j], t[2])
            of_links = (load[j].get(link, 0) for link in self.routes[t[0], t[1]] if link in load[j])
            widths = (self.width[link] for link in self.routes[t[0], t[1]] if link in load[j])
            return any(size + t[2] > width * most for size, width in zip(of_links, widths))

        found = []
        for k, step in enumerate(self.steps):
            if len(step) > 1:
                found += [(k, t, j) for t in step for j in range(len(load)) if j != k and shows(t, j)]
        for k, t, j in random.Random(seed).sample(found, min(MOVED, len(found))):
            moved = [list(step) for step in self.steps]
            moved[k].remove(t)
            moved[j].append(t)
            yield moved


def simulate(platform, schedules, results):
    """Runs schedules one after the other, with a barrier after each step, and sends their times back; of timed
    ones the ends of all transfers."""
    # The import tells its settings on the standard error.
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    import simgrid
    os.dup2(kept, 2)

    flags = ["network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0"]
    engine = simgrid.Engine(["referee", "--log=root.thres:critical"] + [f"--cfg={f}" for f in flags])
    engine.load_platform(platform)
    times = []
    host = simgrid.Host.by_name

    def transfer(begin, ends, number, a, b, size, start):
        simgrid.this_actor.sleep_until(begin + start)
        simgrid.Comm.sendto(host(f"h{a}"), host(f"h{b}"), size)
        ends[number] = simgrid.Engine.clock - begin

    def run():
        for steps in schedules:
            begin = simgrid.Engine.clock
            if isinstance(steps[0], tuple):
                ends = [None] * len(steps)
                actors = [simgrid.Actor.create(f"t{i}", host("h0"), transfer, begin, ends, i, *t)
                          for i, t in enumerate(steps)]
                for actor in actors:
                    actor.join()
                times.append(ends)
                continue
            for step in steps:
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
    limits = ["--iterations", "200"] if "--pairs" in options else []
    subprocess.run([program, "solve", "-q", "-o", schedule] + limits + options, check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run([program, "export", schedule, "--to", "simgrid", "-o", out], check=True)
    export = Export(out)
    if export.timed:
        return judge_timed(export, schedule, out)
    steps = len(export.steps)
    moves = list(export.moves(steps))
    right, *wrong = simulated(export.platform, [export.steps] + moves)
    due = export.due(export.steps)
    assert abs(right - due) < EQUAL, f"{steps} steps of {due} s last {right} s"
    is_noticed = all(time > export.due(moved) + EQUAL for time, moved in zip(wrong, moves))
    assert is_noticed, f"a wrong step is not noticed: {wrong}"
    replay = replayed(out)
    assert abs(replay - due) < 5e-3 * due, f"the replay of {due} s lasts {replay} s"
    wrong = ", ".join(f"{time:.2f}" for time in wrong) or "none can be moved"
    return f"{right:.6f} s for {steps} steps, replay {replay:.4f} s; a transfer moved: {wrong}", wrong


def judge_timed(export, schedule, out):
    """The same of a timed schedule, whose transfers have the starts and the ends of the file."""
    with open(schedule) as file:
        [transfers] = json.load(file)["steps"]
    byte = export.second / 1e6
    written = sorted((t["message"]["bytes"], t["at"] * byte) for t in transfers)
    read = sorted((size, start) for *_, size, start in export.timed)
    for one, other in zip(written, read, strict=True):
        assert one[0] == other[0] and abs(one[1] - other[1]) < EQUAL, (one, other)
    shifts, ends = list(export.shifts(1)), export.ends()
    right, *wrong = simulated(export.platform, [export.timed] + shifts)
    late = max(abs(end - planned) for end, planned in zip(right, ends))
    assert late < EQUAL, f"a transfer ends {late} s away from its end in the file"
    late = []
    for of_shift, shifted in zip(wrong, shifts):
        planned = [start + size * byte for *_, size, start in shifted]
        late.append(max(end - due for end, due in zip(of_shift, planned)))
    assert all(time > EQUAL for time in late), f"a wrong start is not noticed: {late}"
    replay, end = replayed(out), max(ends)
    assert abs(replay - end) < 5e-3 * end, f"the replay of {end} s lasts {replay} s"
    late = ", ".join(f"{time:.6f}" for time in late) or "none can be shifted"
    return f"{max(right):.6f} s, timed, replay {replay:.4f} s; late by a wrong start: {late}", late


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program, more = os.path.abspath(sys.argv[1]), sys.argv[2:]
    limit = int(more.pop(0)) if more and more[0].isdigit() else len(SCHEDULES + SIZED)
    schedules = (SCHEDULES + SIZED)[:limit] + more
    failed, noticed = 0, 0
    for options in schedules:
        with tempfile.TemporaryDirectory() as folder:
            pairs = os.path.join(folder, "pairs.csv")
            with open(pairs, "w") as file:
                file.write(PAIRS)
            sizes = os.path.join(folder, "sizes.csv")
            with open(sizes, "w") as file:
                file.write(SIZES)
            files = {"PAIRS": pairs, "SIZES": sizes, "FABRIC": FABRIC, "TABLES": TABLES}
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

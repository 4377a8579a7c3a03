#!/usr/bin/env python3
"""Random problems with random options and random interrupts, for hours. Every schedule is checked by `ccsched verify`
and by scripts/check_bounds.py; memory must stay flat; nothing may panic, abort or hang.

    scripts/soak.py --program target/release/ccsched --hours 1 [--seed 1] [--only 17]
    scripts/soak.py --routed --runs 1000

With --routed all problems are small and have one route a pair: tables of all kinds, and routes of a file that are no
shortest ones.

A run follows from the seed and its number alone, so `--only` repeats one. Needs nothing but Python. Exit status 0 if
nothing has failed; then the folder of the runs is removed.
"""
import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

from check_bounds import NO_SCHEDULE, check, read  # noqa: E402
from checker.ground import Refused  # noqa: E402

FAMILIES = (
    lambda r: f"ring:{r.randint(3, 24)}{r.choice(('', '', ',half', ',simplex'))}",
    lambda r: f"chordal-ring:{2 * r.randint(4, 10)},{r.randint(2, 3)}",
    lambda r: f"mesh:{r.randint(2, 6)}x{r.randint(2, 6)}{r.choice(('', ',half', ',width=2'))}",
    lambda r: f"torus:{r.randint(3, 6)}x{r.randint(3, 6)}",
    lambda r: f"hypercube:{r.randint(2, 5)}",
    lambda r: f"kautz:2,{r.randint(1, 3)}",
    lambda r: f"debruijn:2,{r.randint(2, 4)}",
    lambda r: r.choice(("petersen", "heawood", "levi", "octagon", "amp:8", "amp:23")),
    lambda r: f"complete-bipartite:{r.randint(2, 4)},{r.randint(2, 4)}",
    lambda r: f"random-regular:{2 * r.randint(4, 14)},3,{r.randint(0, 99)}",
    lambda r: f"{r.choice(('omega', 'butterfly'))}:{2 ** r.randint(2, 4)}",
    lambda r: f"clos:{r.randint(1, 3)},{r.randint(1, 4)},{r.randint(2, 4)}",
    lambda r: f"{r.choice(('binary-tree', 'fat-tree'))}:{2 ** r.randint(2, 5)}{r.choice(('', ',grow=2', ',up=2'))}",
    lambda r: f"full-binary-tree:{2 ** r.randint(2, 5) - 1}",
    lambda r: f"dragonfly:{r.randint(2, 3)},{r.randint(1, 2)},1",
    lambda r: "swiss-t1:" + ",".join(str(r.randint(0, 2)) for _ in range(7)) + ",2",
    lambda r: f"two-switch:{r.randint(1, 4)},{r.randint(1, 4)}",
)
# Seconds beyond its time limit after which a run hangs; generous, for machines that are busy.
PATIENCE = 60


def random_graph(rng, folder):
    """A connected graph as CSV, with capacities and a few chords."""
    size, path = rng.randint(3, 18), os.path.join(folder, "graph.csv")
    links = {(rng.randrange(v), v) for v in range(1, size)}
    links |= {tuple(sorted(rng.sample(range(size), 2))) for _ in range(rng.randint(0, size))}
    with open(path, "w", encoding="utf-8") as file:
        file.write("from,to,capacity\n")
        file.writelines(f"v{a},v{b},{rng.choice((1, 1, 1, 2, 3))}\n" for a, b in sorted(links))
    return path, sorted(links)


def random_pairs(rng, names, folder):
    path = os.path.join(folder, "pairs.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write("source,destination,count\n")
        for _ in range(rng.randint(1, 3 * len(names))):
            a, b = rng.sample(names, 2)
            file.write(f"{a},{b},{rng.choice((1, 1, 2))}\n")
    return path


def random_routes(rng, folder):
    """A connected graph as TOML, with a route for every pair: a random simple path, seldom a shortest one."""
    size, path = rng.randint(3, 9), os.path.join(folder, "routes.toml")
    links = {(rng.randrange(v), v) for v in range(1, size)}
    links |= {tuple(sorted(rng.sample(range(size), 2))) for _ in range(rng.randint(0, size))}
    near = {v: [b if a == v else a for a, b in sorted(links) if v in (a, b)] for v in range(size)}

    def quoted(vertices):
        return ", ".join(f'"v{v}"' for v in vertices)

    def walk(trail, end):
        if trail[-1] == end:
            return trail
        steps = [v for v in near[trail[-1]] if v not in trail]
        for v in rng.sample(steps, len(steps)):
            if found := walk([*trail, v], end):
                return found
        return None

    def row(a):
        ways = {b: walk([a], b)[1:] for b in range(size) if b != a}
        return ", ".join(f"v{b} = [{quoted(way)}]" for b, way in ways.items())

    with open(path, "w", encoding="utf-8") as file:
        kind = rng.choice(("full-duplex", "full-duplex", "half-duplex"))
        file.write(f'name = "routes"\nlinks = "{kind}"\n\n[neighbours]\n')
        for v in range(size):
            file.write(f"v{v} = [{quoted(near[v])}]\n")
        file.write("\n[routes]\n")
        file.writelines(f"v{a} = {{ {row(a)} }}\n" for a in range(size))
    return path, [f"v{v}" for v in range(size)]


SMALL = (
    lambda r: f"ring:{r.randint(3, 11)}{r.choice(('', '', ',half'))}",
    lambda r: f"mesh:{r.randint(2, 4)}x{r.randint(2, 3)}{r.choice(('', ',half', ',width=2'))}",
    lambda r: f"torus:{r.randint(3, 4)}x{r.randint(3, 4)}",
    lambda r: r.choice(("hypercube:3", "octagon", "petersen", "kautz:2,2", "debruijn:2,3", "full-binary-tree:15")),
    lambda r: f"random-regular:{2 * r.randint(4, 7)},3,{r.randint(0, 99)}",
    lambda r: r.choice(("fat-tree:8", "binary-tree:8", "dragonfly:2,1,1", "dragonfly:3,1,1", "clos:2,2,2")),
)


def routed(rng, folder, engine):
    """Random options that state a small problem with one route a pair."""
    options, names = [], []
    if rng.random() < 0.3:
        network, names = random_routes(rng, folder)
        tables = ("static", "static", "updown", "destination")
    elif rng.random() < 0.3:
        network, links = random_graph(rng, folder)
        names = [f"v{v}" for v in sorted({v for link in links for v in link})]
        tables = TABLES[:3]
    else:
        network, tables = rng.choice(SMALL)(rng), TABLES
    options += ["-t", network]
    kind = rng.random()
    if names and kind < 0.3:
        options += ["--pairs", random_pairs(rng, names, folder)]
    elif kind < 0.5:
        options += ["--permutation", f"shift:{rng.randint(1, 4)}"]
    else:
        options += ["-c", rng.choice(("oas", "aas", "aas", "aog"))]
    wormhole = engine in ("liquid", "dsatur", "round-robin", "umda") or rng.random() < 0.3
    options += ["--switching", "wormhole" if wormhole else "store-and-forward"]
    options += ["--ports", str(rng.randint(1, 2))] if rng.random() < 0.4 else []
    return options + ["--routing", rng.choice(tables)]


TABLES = ("updown", "balanced", "destination", "dimension-order", "dmodk", "lgl")


def problem(rng, folder, engine):
    """Random options that state a problem. Some are contradictions, which the program must refuse."""
    if rng.random() < 0.2:
        return routed(rng, folder, engine)
    options, links = [], []
    is_exact, is_odd = engine in ("liquid", "dsatur", "round-robin"), rng.random() < 0.1
    if rng.random() < 0.3:
        network, links = random_graph(rng, folder)
        names = [f"v{v}" for v in sorted({v for link in links for v in link})]
        options += ["--one-way"] if rng.random() < 0.1 else []
        options += ["--equal-links"] if rng.random() < 0.2 else []
    else:
        network = rng.choice(FAMILIES)(rng)
        names = [str(v) for v in range(3)]
    options += ["-t", network]
    scatters = ("oas", "aas", "aas", "aas", "aog", "traffic")
    collective = rng.choice(scatters if is_exact and not is_odd else ("oab", "aab", *scatters))
    if collective == "traffic":
        options += ["--pairs", random_pairs(rng, names, folder)]
    else:
        options += ["-c", collective]
    wormhole = (is_exact or engine == "umda") and not is_odd
    options += ["--switching", "wormhole" if wormhole or rng.random() < 0.6 else "store-and-forward"]
    options += ["--ports", str(rng.randint(1, 3))] if rng.random() < 0.3 else []
    if is_exact and not network.startswith(("swiss", "two")):
        options += ["--routing", rng.choice(TABLES[:3])]
    elif rng.random() < 0.3:
        options += ["--routing", rng.choice(("minimal", "slack:1", "slack:2", "any", *TABLES))]
    if links and rng.random() < 0.3:
        a, b = rng.choice(links)
        options += ["--fail-link", f"v{a}-v{b}"]
    options += ["--fail-node", rng.choice(names)] if rng.random() < 0.1 else []
    options += ["--receivers", ",".join(names)] if rng.random() < 0.1 else []
    return options


def search(rng, limits):
    """A random engine, its options, and the most seconds that it may take."""
    seconds = rng.choice(limits)
    engine = rng.choice(("auto", "auto", "auto", "hgsa", "hgsa", "umda", "liquid", "dsatur", "round-robin"))
    options = ["--engine", engine, "--seed", str(rng.randrange(10**6)), "--time-limit", str(seconds)]
    options += ["--iterations", str(rng.choice((10, 300, 10000)))] if rng.random() < 0.7 else []
    if engine in ("auto", "hgsa"):
        options += ["--islands", str(rng.randint(1, 5))]
        options += ["--exchange-group", str(rng.randint(1, 3))] if rng.random() < 0.2 else []
    if engine == "hgsa":
        options += ["--set", "hgsa:neighbourhood=" + rng.choice(("focused", "paper", "search"))]
    return engine, options, seconds


class Failure(Exception):
    """A run that did what no run may do."""


class Soak:
    def __init__(self, program, folder, is_routed=False):
        self.program, self.folder, self.is_routed = program, folder, is_routed
        self.counts = dict.fromkeys(("runs", "schedules", "bounds", "refused", "without", "interrupted", "killed",
                                     "resumed", "watched"), 0)
        self.peak = (0, "")
        # Each is the growth of a long run, in kilobytes.
        self.growth = []

    def run(self, words, seconds, event=None):
        """Runs the program, perhaps with a signal after some seconds; returns status and outputs."""
        with open(os.path.join(self.folder, "out"), "w+", encoding="utf-8", errors="replace") as out:
            child = subprocess.Popen([self.program, *words], stdin=subprocess.DEVNULL, stdout=out,
                                     stderr=subprocess.STDOUT, cwd=self.folder)
            begin, samples, status, sent = time.monotonic(), [], None, None
            while status is None:
                pid, code, usage = os.wait4(child.pid, os.WNOHANG)
                if pid:
                    status = child.returncode = os.waitstatus_to_exitcode(code)
                    break
                age = time.monotonic() - begin
                if event and age > event[0]:
                    # Not by Popen, which would wait for a child that has ended, and lose its memory.
                    os.kill(child.pid, event[1])
                    sent, event = event[1], None
                if age > seconds + PATIENCE:
                    os.kill(child.pid, signal.SIGKILL)
                    os.wait4(child.pid, 0)
                    child.returncode = -9
                    raise Failure(f"it hangs: {age:.0f} s with a limit of {seconds} s")
                samples.append(resident(child.pid))
                time.sleep(0.02)
            out.seek(0)
            text = out.read()
        self.peak = max(self.peak, (usage.ru_maxrss, " ".join(words)))
        # A signal that comes before the program heeds any ends it as any other.
        died = sent is not None and status == -sent and (sent == signal.SIGKILL or not text)
        if "panicked" in text or "internal error" in text or not (died or status in (0, 1, 2, 3)):
            raise Failure(f"status {status}: {text.strip()[-800:]}")
        return status, text, [size for size in samples if size]

    def schedules(self):
        """Checks the schedule, if there is one, by both checkers; it must be whole."""
        path = os.path.join(self.folder, "s.json")
        if not os.path.exists(path):
            return False
        try:
            _, _, proved = check(read(path))
        except (Refused, *NO_SCHEDULE) as why:
            raise Failure(f"check_bounds.py: {type(why).__name__}: {why}") from None
        status, text, _ = self.run(["verify", "s.json"], 10)
        if status != 0 or "s.json: valid: " not in text:
            raise Failure(f"verify: {text.strip()[-800:]}")
        self.counts["schedules"] += 1
        self.counts["bounds"] += len(proved)
        return True

    def once(self, rng):
        """One random problem; a third of the runs is interrupted, and a part of those resumed."""
        self.counts["runs"] += 1
        (engine, options, seconds), event = search(rng, (1,) if self.is_routed else (1, 2, 5)), None
        options = [*(routed if self.is_routed else problem)(rng, self.folder, engine), *options]
        words = ["solve", *options, "-q", "-o", "s.json"]
        if not self.is_routed and rng.random() < 0.35:
            words += ["--checkpoint", "c.ck", "--checkpoint-every", "1s"]
            number = rng.choice((signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGKILL))
            event = (rng.random() ** 3 * seconds, number)
        self.words = words
        status, text, _ = self.run(words, seconds, event)
        has = self.schedules()
        if status == 2:
            if has or not re.search(r"^(ccsched|error): .", text, re.MULTILINE):
                raise Failure(f"status 2 without a reason, or with a schedule: {text.strip()[-800:]}")
            self.counts["refused"] += 1
        elif status == 0 and not has:
            raise Failure("status 0 without a schedule")
        self.counts["without"] += status == 1
        self.counts["interrupted"] += status == 3
        self.counts["killed"] += status < 0
        if (status == 3 or status < 0) and os.path.exists(os.path.join(self.folder, "c.ck")):
            self.words = [*words, "--resume", "c.ck"]
            again, text, _ = self.run(self.words, seconds)
            if again == 2:
                raise Failure(f"the checkpoint is refused: {text.strip()[-800:]}")
            self.schedules()
            self.counts["resumed"] += 1

    def watch(self, rng):
        """A long search beside its bound: after a quarter of the time its memory must not grow."""
        self.counts["runs"] += 1
        seconds = 12
        name = rng.choice(("levi", "amp:32", "mesh:5x5", "kautz:3,3"))
        self.words = ["solve", "-t", name, "-c", "aas", "--engine", "hgsa", "--set", "hgsa:neighbourhood=paper",
                      "--islands", "2", "--iterations", "1000000000", "--time-limit", str(seconds), "-q", "-o", "s.json"]
        status, text, samples = self.run(self.words, seconds)
        if status not in (0, 1):
            raise Failure(f"status {status}: {text.strip()[-800:]}")
        self.schedules()
        # The peak at the end is that of the bounds, which are found anew for the check.
        quarter = len(samples) // 4
        early, late = samples[quarter:2 * quarter], samples[2 * quarter:-max(1, quarter // 4)]
        if early and late:
            grown = max(0, min(late[-len(late) // 3:]) - max(early))
            self.growth.append(grown)
            self.counts["watched"] += 1
            if grown > 2048 + max(early) // 10:
                raise Failure(f"memory grows: {max(early)} kB early, {min(late[-len(late) // 3:])} kB late")


def resident(pid):
    """Kilobytes of a process in memory."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024
    except (OSError, IndexError, ValueError):
        return 0


def clear(folder):
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="target/release/ccsched", help="the program (target/release/ccsched)")
    parser.add_argument("--hours", type=float, default=1, help="hours (1)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first run (1)")
    parser.add_argument("--runs", type=int, help="number of runs, whatever the time")
    parser.add_argument("--routed", action="store_true", help="small problems with one route a pair, no long runs")
    parser.add_argument("--only", type=int, help="run this number alone")
    options = parser.parse_args()
    end, number, failures = time.monotonic() + 3600 * options.hours, 0, 0
    folder = tempfile.mkdtemp(prefix="ccsched-soak-")
    work = os.path.join(folder, "run")
    os.mkdir(work)
    soak = Soak(os.path.abspath(options.program), work, options.routed)
    while (number < options.runs) if options.runs else (time.monotonic() < end or number == 0):
        here = options.only if options.only is not None else number
        rng = random.Random(f"{options.seed} {here}")
        clear(work)
        try:
            # The last run of forty is a long one.
            (soak.watch if here % 40 == 39 and not options.routed else soak.once)(rng)
        except Failure as why:
            failures += 1
            kept = os.path.join(folder, f"failure-{here}")
            shutil.copytree(work, kept, dirs_exist_ok=True)
            print(f"soak: run {here} (--seed {options.seed} --only {here}): ccsched {' '.join(soak.words)}\n"
                  f"    {why}\n    its files are in {kept}", file=sys.stderr)
        number += 1
        if options.only is not None:
            break
    counts = ", ".join(f"{n} {what}" for what, n in soak.counts.items())
    print(f"soak: {f'{number} runs' if options.runs else f'{options.hours:g} h'}, seed {options.seed}: {counts}; at most {soak.peak[0] // 1024} MB; long runs grow "
          f"by at most {max(soak.growth, default=0)} kB; {failures} failures")
    if not failures:
        shutil.rmtree(folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

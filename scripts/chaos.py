#!/usr/bin/env python3
"""Stops, continues, terminates and kills ranks of `mpirun -n 4 ccsched-mpi`, and mpirun itself, at random. Afterwards
the files must be whole: the schedule valid, the checkpoint one that a search goes on from. No process may be left, and
no shared memory, except after a kill of mpirun; what stays then is counted and removed.

    scripts/chaos.py --program target/release/ccsched-mpi --runs 50 [--seed 1] [--only 17]

Works on Linux with Open MPI. Needs nothing but Python. Exit status 0 if nothing has failed, 77
if mpirun is that of another MPI.
"""
import argparse
import glob
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

RANKS = 4
# Seconds of a search without interrupts, and those after which what still runs is a failure.
LIMIT, PATIENCE = 6, 90
# Searches that do not end before their limit, and write better schedules and checkpoints on the way.
PROBLEMS = (
    ["-t", "levi", "-c", "aas", "--engine", "hgsa", "--set", "hgsa:neighbourhood=paper"],
    ["-t", "kautz:3,3", "-c", "aas", "--engine", "hgsa", "--set", "hgsa:neighbourhood=paper"],
    ["-t", "mesh:5x5", "-c", "aab", "--switching", "sf", "--engine", "hgsa", "--set", "hgsa:neighbourhood=paper"],
    ["-t", "hypercube:5", "-c", "oab", "--engine", "hgsa", "--steps", "4", "--iterations", "100000000"],
)
# What happens to a rank or to mpirun, one after the other, with pauses between.
PLOTS = (
    ("rank STOP", "rank CONT"),
    ("rank STOP", "rank CONT", "rank STOP", "rank CONT"),
    ("rank STOP", "mpirun TERM"),
    ("rank STOP", "rank KILL"),
    ("rank TERM",),
    ("rank TERM", "rank TERM", "rank KILL"),
    ("rank KILL",),
    ("rank KILL", "rank KILL"),
    ("mpirun TERM",),
    ("mpirun INT",),
    ("mpirun TERM", "rank KILL"),
    ("mpirun USR1",),
    ("mpirun KILL",),
    ("rank STOP", "mpirun KILL"),
    # Ranks that are not continued: the others end without them.
    ("early STOP",),
    ("first STOP",),
)
# A rank that is stopped for good holds the others no longer than this after the limit: 5 s, and what MPI needs.
ALONE = 5 + 10


class Failure(Exception):
    """What no run may do."""


def alive(pid):
    """Whether a process runs, or is stopped; one that has ended and was not waited for does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def segments(pid):
    """The shared memory of a process that is a file, apart from libraries."""
    try:
        with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as file:
            return set(re.findall(r"/dev/shm/\S+", file.read()))
    except OSError:
        return set()


def until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def send(pid, name):
    try:
        os.kill(pid, getattr(signal, f"SIG{name}"))
    except ProcessLookupError:
        pass


def is_open_mpi():
    if not shutil.which("mpirun"):
        return False
    version = subprocess.run(["mpirun", "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return b"Open MPI" in version.stdout


class Chaos:
    def __init__(self, options, folder):
        self.program, self.folder = os.path.abspath(options.program), folder
        self.work, self.tmp = os.path.join(folder, "work"), os.path.join(folder, "tmp")
        self.environment = {**os.environ, "TMPDIR": self.tmp, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
        self.counts = dict.fromkeys(("runs", "signals", "schedules", "checkpoints", "left"), 0)

    def once(self, rng):
        for folder in (self.work, self.tmp):
            shutil.rmtree(folder, ignore_errors=True)
            os.mkdir(folder)
        self.counts["runs"] += 1
        self.problem, self.plot = rng.choice(PROBLEMS), rng.choice(PLOTS)
        words = [self.program, *self.problem, "-q", "--seed", str(rng.randrange(1000)), "--time-limit", str(LIMIT),
                 "-o", "s.json", "--checkpoint", "c.ck", "--checkpoint-every", "1s"]
        with open(os.path.join(self.work, "log"), "w", encoding="utf-8") as log:
            ranks, shared = [], set()
            mpirun = subprocess.Popen(["mpirun", "-n", str(RANKS), *words], cwd=self.work, env=self.environment,
                                      stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
            try:
                until(lambda: len(children(mpirun.pid)) == RANKS or mpirun.poll() is not None, PATIENCE)
                ranks = children(mpirun.pid)
                shared = self.play(rng, mpirun, ranks)
                self.ended(mpirun, ranks)
            finally:
                for pid in [mpirun.pid, *ranks]:
                    if alive(pid):
                        send(pid, "KILL")
                mpirun.wait()
        self.memory(shared)
        self.files(words)

    def play(self, rng, mpirun, ranks):
        """Sends the signals; returns the shared memory of the ranks."""
        shared, stopped = set(), []
        for act in self.plot:
            # Some come while MPI starts, some when the search is over.
            if act != "early STOP":
                time.sleep(rng.choice((0.5, LIMIT, LIMIT)) * rng.random())
            shared.update(*map(segments, ranks))
            who, name = act.split()
            # The continued ranks are the stopped ones; a stopped rank can be killed.
            if who == "mpirun":
                target = mpirun.pid
            elif who == "first":
                target = min(ranks)
            else:
                target = stopped.pop() if stopped and name != "STOP" else rng.choice(ranks)
            if name == "STOP":
                stopped.append(target)
            if alive(target):
                send(target, name)
                self.counts["signals"] += 1
        shared.update(*map(segments, ranks))
        return shared

    def ended(self, mpirun, ranks):
        """Everything ends by itself; mpirun and the ranks that it has lost too."""
        patience = LIMIT + ALONE if self.plot[-1] in ("early STOP", "first STOP") else PATIENCE
        if not until(lambda: mpirun.poll() is not None, patience):
            raise Failure(f"mpirun runs on {patience} s after the last signal")
        # A stopped rank whose mpirun was killed notices it when it is continued.
        for pid in ranks:
            if alive(pid):
                send(pid, "CONT")
        if not until(lambda: not any(map(alive, ranks)), PATIENCE):
            raise Failure(f"{sum(map(alive, ranks))} ranks are left")

    def memory(self, shared):
        left = sorted(path for path in shared if os.path.exists(path))
        if left and "mpirun KILL" not in self.plot:
            raise Failure(f"shared memory is left: {', '.join(left)}")
        # The launcher's folder may also stay if a rank is killed while MPI starts.
        left += glob.glob(os.path.join(self.tmp, "ompi.*", "*"))
        for path in left:
            (shutil.rmtree if os.path.isdir(path) else os.remove)(path)
        self.counts["left"] += len(left)
        if left and not any("KILL" in act for act in self.plot):
            raise Failure(f"mpirun leaves {', '.join(left)}")

    def files(self, words):
        """Whole files, and no others; drafts of killed ranks are told by their names."""
        with open(os.path.join(self.work, "log"), encoding="utf-8", errors="replace") as file:
            log = file.read()
        if "panicked" in log:
            raise Failure(f"a rank has panicked: {log[-800:]}")
        names = set(os.listdir(self.work)) - {"log"}
        drafts = {name for name in names if name.startswith(".ccsched-")}
        if drafts and not any(word in act for act in self.plot for word in ("KILL", "TERM", "first", "early")):
            raise Failure(f"drafts are left: {drafts}")
        strange = names - drafts - {"s.json", "c.ck", "c.ck.previous"}
        if strange:
            raise Failure(f"files are left: {strange}")
        if "s.json" in names:
            try:
                check(read(os.path.join(self.work, "s.json")))
            except (Refused, *NO_SCHEDULE) as why:
                raise Failure(f"s.json: {type(why).__name__}: {why}") from None
            self.counts["schedules"] += 1
        for name in sorted(names & {"c.ck", "c.ck.previous"}):
            # The search goes on with the same number of islands; it has a second to show that it can.
            again = [*words[:words.index("--time-limit")], "--time-limit", "1", "--resume", name, "-o", "again.json"]
            run = subprocess.run(["mpirun", "-n", str(RANKS), *again], cwd=self.work, env=self.environment, text=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 timeout=PATIENCE, check=False)
            if run.returncode not in (0, 1):
                raise Failure(f"{name} with status {run.returncode}: {run.stdout[-800:]}")
            self.counts["checkpoints"] += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="target/release/ccsched-mpi", help="(target/release/ccsched-mpi)")
    parser.add_argument("--runs", type=int, default=50, help="runs (50)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first run (1)")
    parser.add_argument("--only", type=int, help="run this number alone")
    options = parser.parse_args()
    if not is_open_mpi():
        print("chaos: NOT RUN: mpirun is not that of Open MPI", file=sys.stderr)
        return 77
    folder, failures = tempfile.mkdtemp(prefix="ccsched-chaos-"), 0
    chaos = Chaos(options, folder)
    for number in range(options.runs) if options.only is None else [options.only]:
        try:
            chaos.once(random.Random(f"{options.seed} {number}"))
        except (Failure, subprocess.TimeoutExpired) as why:
            failures += 1
            print(f"chaos: run {number} (--seed {options.seed} --only {number}), {' '.join(chaos.problem)}, "
                  f"{', '.join(chaos.plot)}: {why}", file=sys.stderr)
    shutil.rmtree(folder, ignore_errors=True)
    counts = chaos.counts
    print(f"chaos: {counts['runs']} runs, {counts['signals']} signals; {counts['schedules']} schedules and "
          f"{counts['checkpoints']} checkpoints are whole; {counts['left']} files of MPI left by kills, and "
          f"removed; {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

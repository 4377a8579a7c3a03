#!/usr/bin/env python3
"""Fabrics in ibsim, a simulator of InfiniBand without hardware, routed by OpenSM and asked by the tools
of real fabrics. For each of them:

- what ibnetdiscover prints of the simulated fabric is the network of the file that was loaded;
- with the tables of OpenSM's minhop, updn and sssp, the all-to-all takes as many steps as its bound,
  and our routes are those of ibtracert for 200 pairs of hosts; ibdmchk finds a loop of channels that
  wait for each other where `ccsched show --dependencies` finds a cycle, and none where it finds none;
- the routes of a schedule by destination become tables (`ccsched export --to lft`) that OpenSM loads
  (`-R file`) without a change; ibtracert finds them, and our reader reads the same routes back.

The fabrics are topologies/leaf-spine.ibnetdiscover, one of three levels and a ring that this script makes,
and those of the command line.

usage: scripts/test-fabric.py CCSCHED [FABRIC..]
Debian: opensm ibsim-utils infiniband-diags ibutils. scripts/test-fabric.sh installs them.
"""
import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import tomllib

PAIRS = 200
ENGINES = ["minhop", "updn", "sssp"]
NODE = re.compile(r'^(Switch|Ca|Rt)\s+\d+\s+"(.*?)"\s+# "(.*?)"')
PORT = re.compile(r'^\[(\d+)\](?:\[ext \d+\])?(?:\([0-9a-fx]+\))?\s+"(.*?)"\[(\d+)\].*?# (.*)$')
HOP = re.compile(r"^\[(\d+)\] -> \S+ port \{0x([0-9a-f]+)\}\[(\d+)\]")


class Fabric:
    """The file of a fabric, read without ccsched: cables, addresses, names."""

    def __init__(self, path):
        self.kinds, self.about, self.cables, self.lids = {}, {}, {}, {}
        node = None
        with open(path) as lines:
            for line in lines:
                if found := NODE.match(line):
                    kind, node, about = found.groups()
                    self.kinds[node], self.about[node] = kind, about.strip()
                elif found := PORT.match(line):
                    self.cables[node, int(found[1])] = found[2], int(found[3])
                    lid = re.match(r"lid (\d+)", found[4])
                    if lid and self.kinds[node] == "Ca":
                        self.lids[node, int(found[1])] = int(lid[1])
        first = {about: node for node, about in self.about.items()}
        times = list(self.about.values())
        self.nodes = {about: node for about, node in first.items() if times.count(about) == 1}
        self.nodes |= {f"{about} {node}": node for node, about in self.about.items()}
        self.first = next(node for node, kind in self.kinds.items() if kind == "Ca")

    def between(self, schedule):
        """By channel of a schedule with separate cables, the node and port that it leaves, and the
        node and port that it enters; none for links inside hosts."""
        hosts = {}
        for node, about in self.about.items():
            if self.kinds[node] == "Ca":
                hosts.setdefault(about.rsplit(" ", 1)[0], []).append(node)
        named = {name: nodes[0] for name, nodes in hosts.items() if len(nodes) == 1} | self.nodes
        taken, ends = {}, []
        for channel in schedule["network"]["channels"]:
            a, b = (named.get(channel[end]) for end in ("from", "to"))
            parallel = [(p, q) for (n, p), (m, q) in sorted(self.cables.items()) if (n, m) == (a, b)]
            # Cables are in the order of their ends at the node that the file has first.
            order = list(self.about)
            if parallel and order.index(a) > order.index(b):
                parallel.sort(key=lambda ports: ports[1])
            number = taken.setdefault((a, b), 0)
            taken[a, b] += 1
            ends.append(((a, parallel[number][0]), (b, parallel[number][1])) if parallel else None)
        return ends


class Simulation:
    """A fabric in ibsim; programs see it as the hardware of its first host."""

    def __init__(self, path, first, folder):
        library = glob.glob("/usr/lib/*/umad2sim/libumad2sim.so")
        assert library, "libumad2sim.so is missing; it is in the package ibsim-utils"
        self.folder = folder
        # Other simulations of this machine have other names.
        name = {**os.environ, "IBSIM_SOCKNAME": f"ccsched-{os.getpid()}"}
        self.env = {**name, "SIM_HOST": first, "OSM_TMP_DIR": folder, "OSM_CACHE_DIR": folder,
                    "LD_PRELOAD": library[0], "PATH": os.environ["PATH"] + ":/usr/sbin"}
        self.log = open(os.path.join(folder, "ibsim.log"), "w+")
        self.process = subprocess.Popen(["ibsim", "-s", "-n", path], env=name, stdin=subprocess.PIPE,
                                        stdout=self.log, stderr=subprocess.STDOUT)
        for _ in range(100):
            if self.process.poll() is not None:
                break
            try:
                self.run("ibstat", "-l")
                return
            except (subprocess.SubprocessError, OSError):
                time.sleep(0.1)
        raise AssertionError(f"ibsim does not start: {open(self.log.name).read()[-300:]}")

    def run(self, *command):
        said = subprocess.run(command, env=self.env, capture_output=True, text=True, timeout=120)
        if said.returncode:
            raise subprocess.SubprocessError(f"{' '.join(command)}: {said.stderr or said.stdout}")
        return said.stdout

    def route(self, engine, *more):
        """Lets OpenSM route the fabric; the file of its tables, none if the engine cannot."""
        log = os.path.join(self.folder, "opensm.log")
        if os.path.exists(log):
            os.remove(log)
        self.run("opensm", "-R", engine, *more, "-o", "-f", log, "-s", "0", "-D", "0x43")
        with open(log) as text:
            done = re.findall(r"osm_ucast_mgr_process: (\S+) tables configured", text.read())
        assert done, "OpenSM has made no tables"
        if done != [engine]:
            return None
        return os.path.join(self.folder, "opensm-lfts.dump")

    def has_loops(self):
        """Whether ibdmchk finds that packets can block each other in a circle (credit loops), and the
        number of routes that it has followed."""
        dumps = {"-s": "opensm-subnet.lst", "-f": "opensm.fdbs", "-m": "opensm.mcfdbs"}
        words = [word for option, dump in dumps.items() for word in (option, os.path.join(self.folder, dump))]
        # It is no program of the simulated fabric: it reads what OpenSM has written.
        said = subprocess.run(["ibdmchk", *words], capture_output=True, text=True, timeout=120).stdout
        scanned = re.search(r"Scanned:(\d+) CA to CA paths", said)
        assert scanned, f"ibdmchk: {said[-600:]}"
        none = "no credit loops found" in said
        assert none or re.search(r"credit loop", said), f"ibdmchk says nothing of loops: {said[-600:]}"
        return not none, int(scanned[1])

    def trace(self, a, b):
        """The ports from one address to another: each the node's number and the port out of it."""
        lines = self.run("ibtracert", str(a), str(b)).splitlines()
        begin = re.search(r"\{0x([0-9a-f]+)\}", lines[0])
        path, node = [], int(begin[1], 16)
        for hop in filter(None, map(HOP.match, lines)):
            path.append((node, int(hop[1])))
            node = int(hop[2], 16)
        return path

    def end(self):
        self.process.kill()
        self.process.wait()
        self.log.close()


def tables(path):
    """By switch and address, the port."""
    found, switch = {}, None
    with open(path) as lines:
        for line in lines:
            if head := re.match(r"Unicast lids .* guid 0x([0-9a-f]+)", line):
                switch = int(head[1], 16)
            elif row := re.match(r"0x([0-9a-f]+) (\d+)", line):
                found[switch, int(row[1], 16)] = int(row[2])
    return found


def network(text):
    """A network as `ccsched topology -o` writes it, without the order of its parts."""
    data = tomllib.loads(text)
    pairs = lambda sets: {tuple(sorted((a, b))): w for a, row in sets.items() for b, w in row.items()}
    neighbours = {v: sorted(row) for v, row in data["neighbours"].items()}
    return neighbours, sorted(data["switches"]), pairs(data.get("width", {})), data["aliases"]


def compare_routes(fabric, simulation, file, what):
    """Whether ibtracert goes the way of the routes of a schedule."""
    ends = fabric.between(file)
    routes = file["model"]["routes"]
    chosen = random.Random(1).sample(routes, min(PAIRS, len(routes)))
    for route in chosen:
        cables = [ends[c] for c in route["channels"] if ends[c]]
        lids = fabric.lids[cables[0][0]], fabric.lids[cables[-1][1]]
        ours = [(int(node[2:], 16), port) for (node, port), _ in cables]
        theirs = simulation.trace(*lids)
        assert ours == theirs, f"{what}: from {route['from']} to {route['to']}: {ours}, ibtracert {theirs}"
    return len(chosen)


def compare_loops(has_loops, told, routes, what):
    """Whether ibdmchk and `ccsched show --dependencies` agree on cycles; a word on it."""
    theirs, scanned = has_loops
    ours = "a cycle" in told
    assert ours or "no cycle" in told, told
    assert ours == theirs, f"{what}: ibdmchk finds {'a' if theirs else 'no'} credit loop; {told}"
    # A host with several adapters has several routes there, and routes inside.
    assert scanned >= routes, f"{what}: ibdmchk has followed {scanned} routes of {routes}"
    return "credit loops" if theirs else "no credit loop"


def judge(program, path, folder):
    fabric = Fabric(path)
    name = os.path.basename(path)
    run = lambda *words: subprocess.run([program, *words], check=True, capture_output=True, text=True)
    solve = ["solve", "-t", path, "-c", "aas", "--equal-links", "--time-limit", "120s", "--json"]
    schedule, found = os.path.join(folder, "schedule.json"), []
    simulation = Simulation(path, fabric.first, folder)
    try:
        # The name of the file is that of the network.
        seen = os.path.join(folder, "seen")
        os.makedirs(seen)
        with open(os.path.join(seen, name), "w") as file:
            simulation.route("minhop")
            file.write(simulation.run("ibnetdiscover"))
        networks = [run("topology", file, "-o", "-").stdout for file in (path, os.path.join(seen, name))]
        assert network(networks[0]) == network(networks[1]), "ibnetdiscover shows another network"

        for engine in ENGINES:
            lfts = simulation.route(engine)
            if lfts is None:
                found.append(f"{engine} not for this fabric")
                continue
            line = json.loads(run(*solve, "--routes", lfts, "-o", schedule, "--force").stdout)
            assert line["optimal"], f"{engine}: {line['steps']} steps, bound {line['lower_bound']}"
            with open(schedule) as file:
                file = json.load(file)
            pairs = compare_routes(fabric, simulation, file, engine)
            told = run("show", schedule, "--dependencies", os.path.join(folder, "waits.dot")).stdout
            loops = compare_loops(simulation.has_loops(), told, len(file["model"]["routes"]), engine)
            found.append(f"{engine} {line['steps']}, {loops}")

        by_destination = ["--separate-cables", "--routing", "destination"]
        line = json.loads(run(*solve, *by_destination, "-o", schedule, "--force").stdout)
        lfts = os.path.join(folder, "ours.lfts")
        run("export", schedule, "--to", "lft", "--fabric", path, "-o", lfts)
        loaded = simulation.route("file", "-U", lfts)
        assert loaded, "OpenSM has not loaded our tables"
        assert tables(loaded) == tables(lfts), "OpenSM has changed our tables"
        with open(schedule) as file:
            ours = json.load(file)
        compare_routes(fabric, simulation, ours, "our tables")
        again = os.path.join(folder, "again.json")
        back = json.loads(run(*solve, "--routes", lfts, "-o", again).stdout)
        with open(again) as file:
            again = json.load(file)
        # A host with several ports has no fixed one in tables: pairs take them in turn.
        ports = {lid for (node, _), lid in fabric.lids.items()}
        if len(ports) == len(ours["model"]["senders"]):
            assert ours["model"]["routes"] == again["model"]["routes"], "other routes are read back"
            assert line["steps"] == back["steps"]
        free = json.loads(run(*solve).stdout)
        found += [f"our tables {line['steps']}", f"free routes {free['steps']}"]
        entries = len(tables(lfts))
    finally:
        simulation.end()
    return f"{pairs} routes each are those of ibtracert, {entries} entries loaded; steps: {', '.join(found)}"


def three_levels():
    """8 leaves with 4 hosts each, 4 switches in two pods above them with two cables to each leaf, 2 on
    top."""
    switches = [f"leaf {i}" for i in range(8)] + ["pod", "pod", "pod", "pod", "top # 1", "top # 2"]
    up = [(leaf, 8 + 2 * (leaf // 4) + pod) for leaf in range(8) for pod in (0, 1) for _ in range(2)]
    top = [(pod, top) for pod in range(8, 12) for top in (12, 13)]
    return made(switches, [leaf for leaf in range(8) for _ in range(4)], up + top)


def ring():
    """5 switches in a ring with a host each: shortest routes wait for each other in a circle."""
    return made([f"ring {i}" for i in range(5)], range(5), [(i, (i + 1) % 5) for i in range(5)])


def made(names, leaves, cabled):
    """The file of a fabric: the names of its switches, the switch of each host, the cables between
    switches; numbers and addresses at random."""
    rng, number = random.Random(7), len(names) + len(leaves)
    guids = iter(rng.sample(range(0x10000, 0xfffff, 16), number))
    switches = [("S-%016x" % next(guids), about) for about in names]
    hosts = [("H-%016x" % next(guids), f"n{i} mlx5_0") for i in range(len(leaves))]
    lids = dict(zip([node for node, _ in switches + hosts], rng.sample(range(1, 200), number)))
    cables, free = [], {}

    def cable(a, b):
        ports = []
        for end in (a, b):
            free[end] = free.get(end, 0) + 1
            ports.append((end, free[end]))
        cables.append(ports)

    for (host, _), leaf in zip(hosts, leaves):
        cable(host, switches[leaf][0])
    for a, b in cabled:
        cable(switches[a][0], switches[b][0])
    peer = {tuple(a): b for a, b in cables} | {tuple(b): a for a, b in cables}
    about = dict(switches + hosts)
    # In ibsim a port has the number after that of its adapter.
    guid = {host: "%x" % (int(host[2:], 16) + 1) for host, _ in hosts}
    lines = []
    for node, text in switches:
        # ibsim takes the numbers of nodes from these lines.
        lines.append(f"\nswitchguid=0x{node[2:]}({node[2:]})")
        lines.append(f'Switch\t36 "{node}"\t\t# "{text}" enhanced port 0 lid {lids[node]} lmc 0')
        for port in range(1, free[node] + 1):
            other, there = peer[node, port]
            inside = f"({guid[other]})" if other in guid else ""
            lines.append(f'[{port}]\t"{other}"[{there}]{inside} \t\t# "{about[other]}" lid {lids[other]} 4xEDR')
    for node, text in hosts:
        other, there = peer[node, 1]
        lines.append(f"\ncaguid=0x{node[2:]}")
        lines.append(f'Ca\t1 "{node}"\t\t# "{text}"')
        lines.append(f'[1]({guid[node]}) \t"{other}"[{there}]\t\t# lid {lids[node]} lmc 0 "{about[other]}" '
                     f"lid {lids[other]} 4xEDR")
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    here = os.path.dirname(os.path.abspath(__file__))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        own = []
        for name, text in (("three-levels", three_levels()), ("ring", ring())):
            own.append(os.path.join(folder, f"{name}.ibnetdiscover"))
            with open(own[-1], "w") as file:
                file.write(text)
        example = os.path.join(here, "..", "topologies", "leaf-spine.ibnetdiscover")
        for path in [os.path.abspath(example), *own, *map(os.path.abspath, sys.argv[2:])]:
            with tempfile.TemporaryDirectory() as scratch:
                try:
                    said = judge(program, path, scratch)
                except subprocess.CalledProcessError as why:
                    said, failed = f"FAILED: {why}: {why.stderr}", failed + 1
                except (AssertionError, subprocess.SubprocessError, OSError) as why:
                    said, failed = f"FAILED: {why}", failed + 1
                print(f"test-fabric: {os.path.basename(path)}: {said}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

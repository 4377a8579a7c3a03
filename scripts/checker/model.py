"""The network and the model of a schedule file."""
from .communicators import OF_GROUPS, Groups, SumGroups
from .ground import FAR, natural, need
from .routes import local_global_local, walk


def delays(record):
    """By channel, its delay in bytes of a timed schedule, rounded up."""
    rate = round((record.get("rate") or {}).get("bytes_per_second", 2e9))
    ns = (natural(channel.get("delay_ns", 0), f"the delay of channel {c}") for c, channel in enumerate(record["channels"]))
    return [-(-late * rate // 10**9) for late in ns]


class Network:
    """The graph. A link is what transfers compete for: a channel, or both channels of a half-duplex link."""

    def __init__(self, record):
        self.names = [v["name"] for v in record["vertices"]]
        self.terminal = [v["terminal"] is True for v in record["vertices"]]
        self.index = {name: v for v, name in enumerate(self.names)}
        need(len(self.index) == len(self.names), "two vertices have one name")
        self.ends, self.capacity, self.link = [], [], []
        self.out, self.into = [[] for _ in self.names], [[] for _ in self.names]
        self.closed = set()
        self.delay = delays(record)
        for c, channel in enumerate(record["channels"]):
            a, b = self.vertex(channel["from"]), self.vertex(channel["to"])
            need(a != b, f"channel {c} joins '{self.names[a]}' to itself")
            self.ends.append((a, b))
            self.capacity.append(natural(channel.get("capacity", 1), f"the capacity of channel {c}"))
            need(self.capacity[c] > 0, f"channel {c} carries nothing")
            other = channel.get("excludes")
            self.link.append(c if other is None else min(c, natural(other, "`excludes`")))
            self.out[a].append(c)
            self.into[b].append(c)
        for c, channel in enumerate(record["channels"]):
            other = channel.get("excludes")
            if other is not None:
                need(other < len(self.ends) and record["channels"][other].get("excludes") == c,
                     f"channel {c} excludes {other}, which does not exclude it in turn")
                need(self.ends[other] == self.ends[c][::-1] and self.capacity[other] == self.capacity[c],
                     f"channels {c} and {other} are not the two directions of one link")

    def leave_out(self, idle, closes):
        """Terminals that take no part are switches; if this closes their channels, nothing passes them."""
        for v in idle:
            self.terminal[v] = False
            if closes:
                self.closed.update(self.out[v] + self.into[v])
        for side in (self.out, self.into) if self.closed else ():
            side[:] = [[c for c in channels if c not in self.closed] for channels in side]

    def vertex(self, name):
        need(isinstance(name, str) and name in self.index, f"{name!r} is no vertex")
        return self.index[name]

    def carried(self, channels):
        """Transfers that these channels carry in a step."""
        return sum(self.capacity[link] for link in {self.link[c] for c in channels})

    def nearest(self, start, slack):
        """The least delay of a walk to every vertex that has no more channels than a path may have."""
        most = [far + slack for far in self.distances([start])]
        least = [FAR] * len(self.names)
        walks = {start: 0}  # with a number of channels, the best to each vertex
        least[start] = 0
        for count in range(1, len(self.names) + 1):
            further = {}
            for v, late in walks.items():
                for c in self.out[v]:
                    to = self.ends[c][1]
                    further[to] = min(further.get(to, FAR), late + self.delay[c])
            walks = further
            for v, late in walks.items():
                if count <= most[v]:
                    least[v] = min(least[v], late)
        return least

    def distances(self, starts, backwards=False, within=None):
        """Channels from the nearest start to every vertex, or from every vertex to the nearest start."""
        far = [FAR] * len(self.names)
        front = list(starts)
        for v in front:
            far[v] = 0
        for v in front:  # grows while it is read
            for c in self.into[v] if backwards else self.out[v]:
                w = self.ends[c][0 if backwards else 1]
                if far[w] == FAR and (within is None or within[w]):
                    far[w] = far[v] + 1
                    front.append(w)
        return far


class Model:
    """What was asked for: `asks[s][r]` messages of s, in pieces, must reach r; `routes` if the routing fixes them."""

    def __init__(self, record, net):
        self.net, self.collective, routing = net, record["collective"], record["routing"]
        # Transfers over one path in a step are one: in a barrier, and in an all-reduce of one part, which adds.
        self.adds = self.collective == "all-reduce" and record.get("parts") == 1
        self.joins = self.adds or self.collective == "barrier"
        self.sums = self.collective in ("reduce", "notify", "reduce-scatter", "all-reduce", "reduce-groups", "sum-groups") and not self.adds
        need(self.sums or self.joins or self.collective in ("oab", "aab", "oas", "aas", "aog", "traffic", "groups"), f"collective {self.collective!r}")
        self.broadcast = self.collective in ("oab", "aab") or self.joins
        self.pieces = natural(record.get("pieces", 1), "`pieces`")
        need(1 <= self.pieces <= 1024, f"{self.pieces} pieces")
        self.rounds = record.get("rounds")
        need(self.rounds is None or all(natural(r, "`rounds`") > 0 for r in self.rounds), "a step without rounds")
        need(not (self.joins or self.collective == "notify") or self.pieces == 1 and self.rounds is None, "`pieces` or `rounds` where messages join")
        need(("groups" in record) == (self.collective in OF_GROUPS), "`groups` are for groups side by side")
        need("groups" not in record or self.pieces == 1 and self.rounds is None, "groups of pieces or rounds are not checked here")
        self.groups = None
        self.backwards = None  # of a reduction, the broadcast that it is when time runs backwards
        need(record["switching"] in ("wormhole", "store-and-forward", "hosts"), f"switching {record['switching']!r}")
        # Transfers from terminal to terminal; with hosts they pass switches alone, and terminals forward messages.
        self.hosts = record["switching"] == "hosts"
        self.wormhole = record["switching"] != "store-and-forward"
        # Switches copy messages and add up sums; a transfer is a tree (trees.py).
        need(record.get("multicast") in (None, "none", "switch"), f"multicast {record.get('multicast')!r}")
        self.multicast = record.get("multicast") == "switch"
        copied = self.wormhole and (self.broadcast or self.sums) and not self.joins and self.collective != "notify"
        need(not self.multicast or copied and "groups" not in record, "nothing is copied on the way here")
        self.ports = None if record["ports"] == "all" else natural(record["ports"], "`ports`")
        need(self.ports != 0, "with 0 ports nothing moves")
        self.senders, self.receivers = ([net.vertex(v) for v in record[key]] for key in ("senders", "receivers"))
        for group in (self.senders, self.receivers):
            need(group and len(set(group)) == len(group), "senders or receivers are missing, or listed twice")
            need(all(net.terminal[v] for v in group), "a switch sends or receives")
        one = {"oab": record["senders"], "oas": record["senders"], "aog": record["receivers"],
               "reduce": record["receivers"], "notify": record["receivers"]}.get(self.collective)
        need(record["source"] is None if one is None else one == [record["source"]], "`source` does not fit")
        need((record.get("pairs") is None) == (self.collective != "traffic"), "`pairs` are for a traffic")
        self.timed = record.get("timing") == "timed"
        need(record.get("timing") in (None, "steps", "timed"), f"timing {record.get('timing')!r}")
        need(not self.timed or self.wormhole and not self.hosts and self.pieces == 1 and self.rounds is None,
             "timed schedules are of whole messages with wormhole switching")
        self.bytes = {}  # by source, destination and copy, where messages have lengths
        self.asks = {s: {} for s in self.senders}
        if self.collective == "traffic":
            own = record.get("lengths") or [None] * len(record["pairs"])
            need(len(own) == len(record["pairs"]), "`lengths` are not those of all pairs")
            for (source, destination), length in zip(record["pairs"], own):
                s, r = net.vertex(source), net.vertex(destination)
                need(s != r and s in self.asks, f"the pair of '{source}' and '{destination}' does not fit")
                self.asks[s][r] = self.asks[s].get(r, 0) + self.pieces
                self.bytes[s, r, self.asks[s][r] // self.pieces] = length if length is None else natural(length, "`lengths`")
            ends = {r for row in self.asks.values() for r in row}
            need(all(self.asks.values()) and ends == set(self.receivers), "senders, receivers and pairs differ")
        elif self.collective in OF_GROUPS:
            need(not self.hosts, "groups with hosts switching")
            self.groups = (SumGroups if self.sums else Groups)(record, net)
            self.asks, self.bytes = self.groups.asks(), self.groups.bytes
        else:
            for s in self.senders:
                self.asks[s] = {r: self.pieces for r in self.receivers if r != s}
        self.slack, self.routes = 0, None
        if routing == "lgl":
            self.routes = local_global_local(net)
        elif routing.startswith("slack:"):
            need(routing[6:].isascii() and routing[6:].isdigit(), f"routing {routing!r}")
            self.slack = int(routing[6:])
        elif routing == "any":
            self.slack = FAR
        elif routing != "minimal":
            need(record.get("routes") is not None, f"routing {routing!r} without `routes`")
            ends = [(net.vertex(r["from"]), net.vertex(r["to"])) for r in record["routes"]]
            self.routes = {pair: r["channels"] for pair, r in zip(ends, record["routes"])}
            need(len(self.routes) == len(ends), "a pair has two routes")
            for (a, b), route in self.routes.items():
                visited = walk(net, a, route)
                need(visited[-1] == b and a != b, f"a route from '{net.names[a]}' ends elsewhere")
        if routing in ("lgl", "minimal", "any") or self.slack or routing.startswith("slack:"):
            need(record.get("routes") is None, f"`routes` with routing {routing!r}")
        need(self.routes is None or not (self.broadcast or self.sums or self.groups), "a broadcast or a sum with fixed routes")
        if self.collective == "all-reduce" or self.joins:
            need(self.senders == self.receivers, "all processes contribute and get the sums")
        if self.collective == "all-reduce" and not self.adds:
            need(record.get("parts") == len(self.receivers), "`parts` is not the number of processes")
        self.take_part(record)

    def take_part(self, record):
        """Leaves out the terminals that run no process: in a traffic without a list none."""
        net, ends = self.net, set(self.senders) | set(self.receivers)
        terminals = {v for v, terminal in enumerate(net.terminal) if terminal}
        processes = record.get("processes")
        if processes is None:
            part = terminals if self.collective == "traffic" else ends
        else:
            part = {net.vertex(v) for v in processes}
            need(len(part) == len(processes), "a process is listed twice")
            need(ends <= part <= terminals, "a sender, a receiver or a switch is wrong among the processes")
        need(record.get("relays") in (None, "none", "all"), f"relays {record.get('relays')!r}")
        relays = record.get("relays") == "all"
        need(not relays or not self.wormhole or self.hosts, "nothing is relayed with wormhole switching")
        self.relays = relays
        if not relays:
            net.leave_out(terminals - part, not self.wormhole or self.hosts)
        switches = set(range(len(net.names))) - terminals
        if self.hosts and not any(net.out[v] or net.into[v] for v in switches):
            self.wormhole = self.hosts = False  # every path is one channel
            need(not self.multicast, "no switch takes part that could copy")

    def limit(self, v, channels):
        """Messages that v sends, or receives, in a step over these channels."""
        carried = sum(self.net.capacity[c] for c in channels)
        return carried if self.ports is None or not self.net.terminal[v] else min(carried, self.ports)

    def lengths_from(self, s):
        """Channels that a message of s takes at least, by destination: those of its route, or its distance."""
        if self.routes is None:
            return self.net.distances([s])
        return {r: self.length(s, r) for r in self.asks.get(s, {})}

    def lengths_to(self, r):
        """The same of messages to r, by source."""
        if self.routes is None:
            return self.net.distances([r], backwards=True)
        return {s: self.length(s, r) for s, row in self.asks.items() if r in row}

    def length(self, s, r):
        return len(self.routes[s, r]) if (s, r) in self.routes else FAR

    def waits(self, rate):
        """Steps before the last piece of a message leaves its source, which sends `rate` pieces in a step."""
        return -(-self.pieces // max(rate, 1)) - 1

    def coming(self, v):
        return sum(row.get(v, 0) for row in self.asks.values())

    def leaving(self, v):
        return sum(self.asks.get(v, {}).values())

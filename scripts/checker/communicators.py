"""Groups side by side: collectives among members of their own in one schedule."""
from .ground import FAR, ceil, natural, need

# By collective, whether a message is for all members, and whether only the root sends, or receives.
KINDS = {"oab": (True, True, False), "aab": (True, False, False), "oas": (False, True, False),
         "aog": (False, False, True), "aas": (False, False, False)}
OF_GROUPS = ("groups", "reduce-groups", "sum-groups")
# By collective whose messages are sums, whether there is one root, all members contribute, and all get the sum.
SUMS = {"oab": (True, False, True), "aab": (False, False, True), "reduce": (True, True, False),
        "reduce-scatter": (False, True, False), "all-reduce": (False, True, True)}


class Groups:
    """The messages: by source, destination (None if it is for all of its group) and copy, the receivers and the
    members of the group."""

    def __init__(self, record, net):
        need(isinstance(record.get("groups"), list) and record["groups"], "groups without `groups`")
        self.messages, self.bytes, count, sources = {}, {}, {}, set()
        for group in record["groups"]:
            need(group["collective"] in KINDS, f"a group of {group['collective']!r}")
            common, from_root, to_root = KINDS[group["collective"]]
            members = {net.vertex(v) for v in group["members"]}
            need(len(members) == len(group["members"]) > 1, "a group has a member twice, or one alone")
            need(all(net.terminal[v] for v in members), "a switch is a member")
            need((group.get("source") is not None) == (from_root or to_root), "a group has a root if its collective has")
            root = {net.vertex(group["source"])} if from_root or to_root else members
            need(root <= members, "a root is no member")
            for s in root if from_root else members:
                others = (root if to_root else members) - {s}
                for to in [None] if common and others else others if not common else []:
                    count[s, to] = copy = count.get((s, to), 0) + 1
                    self.bytes[s, to, copy] = group.get("bytes")
                    self.messages[s, to, copy] = (others if to is None else {to}, members)
                    sources.add(s)
        self.receivers = set().union(*(receivers for receivers, _ in self.messages.values()))
        need(sources == {net.vertex(v) for v in record["senders"]}, "the senders are not those of the groups")
        need(self.receivers == {net.vertex(v) for v in record["receivers"]}, "the receivers are not those of the groups")

    def asks(self):
        """By source and receiver, the number of messages."""
        asks = {}
        for (s, _, _), (receivers, _) in self.messages.items():
            for r in receivers:
                row = asks.setdefault(s, {})
                row[r] = row.get(r, 0) + 1
        return asks


class SumGroups:
    """The sums: by root, None and copy, who contributes, who gets it, and the members of the group. A broadcast is a
    sum with one contribution."""

    def __init__(self, record, net):
        need(isinstance(record.get("groups"), list) and record["groups"], "groups without `groups`")
        self.sums, self.bytes, count, senders, self.receivers = {}, {}, {}, set(), set()
        for group in record["groups"]:
            kind = group["collective"]
            need(kind in SUMS and (record["collective"] == "sum-groups" or kind in ("reduce", "reduce-scatter")), f"a group of {kind!r}")
            one_root, all_from, all_to = SUMS[kind]
            members = {net.vertex(v) for v in group["members"]}
            need(len(members) == len(group["members"]) > 1, "a group has a member twice, or one alone")
            need(all(net.terminal[v] for v in members), "a switch is a member")
            need((group.get("source") is not None) == one_root, "a group has a root if its collective has")
            roots = {net.vertex(group["source"])} if one_root else members
            need(roots <= members, "a root is no member")
            for root in roots:
                count[root] = copy = count.get(root, 0) + 1
                start, end = members if all_from else {root}, members if all_to else {root}
                self.sums[root, None, copy] = (start, end, members)
                self.bytes[root, None, copy] = group.get("bytes")
                senders |= {v for v in start if end - {v}}
                self.receivers |= {v for v in end if start - {v}}
        need(senders == {net.vertex(v) for v in record["senders"]}, "the senders are not those of the groups")
        need(self.receivers == {net.vertex(v) for v in record["receivers"]}, "the receivers are not those of the groups")

    def asks(self):
        return {}

    def across(self, side):
        """Sums that leave a set of vertices, and that enter it."""
        ends = [(start, end) for start, end, _ in self.sums.values()]
        return (sum(1 for start, end in ends if start & side and end - side),
                sum(1 for start, end in ends if start - side and end & side))


def sums_volume(model, _):
    """A sum takes a transfer for each contribution but one, and for each receiver but one."""
    net = model.net
    work = sum(len(start) + len(end) - 2 for start, end, _ in model.groups.sums.values())
    able = [v for v in range(len(net.names)) if net.terminal[v] or not model.wormhole]
    return ceil(work, min(net.carried(range(len(net.ends))), sum(model.limit(v, net.out[v]) for v in able)))


def sums_ports(model, certificate):
    """What a vertex contributes to the sums of others it sends, and it gets the sums with contributions of others."""
    net, v = model.net, model.net.vertex(certificate.get("vertex"))
    out, into = model.groups.across({v})
    return max(ceil(out, model.limit(v, net.out[v])), ceil(into, model.limit(v, net.into[v])))


def sums_cut(model, certificate):
    """A sum with a contribution on one side and a receiver on the other crosses the cut."""
    net = model.net
    need(isinstance(certificate.get("side"), list), "the certificate lacks `side`")
    side = {net.vertex(name) for name in certificate["side"]}
    out, into = model.groups.across(side)
    there = [c for c, (a, b) in enumerate(net.ends) if a in side and b not in side]
    back = [c for c, (a, b) in enumerate(net.ends) if a not in side and b in side]
    return max(ceil(out, net.carried(there)), ceil(into, net.carried(back)), ceil(out + into, net.carried(there + back)))


class Grouped:
    """The vertices that have each message."""

    def __init__(self, model):
        self.model = model
        self.has = {message: {message[0]} for message in model.groups.messages}

    def step(self, moves):
        new, model = set(), self.model
        for move in moves:
            message = (move.source, move.destination, move.copy)
            need(message in self.has, f"{move.place}: no demand for this message")
            has, (receivers, members) = self.has[message], model.groups.messages[message]
            need(move.start in has, f"{move.place}: the message is not there yet")
            need(move.end not in has and (message, move.end) not in new, f"{move.place}: it is there already")
            straight = model.wormhole and move.destination is not None
            free = not model.net.terminal[move.end] or model.relays
            need(free or move.end in (receivers if straight else members), f"{move.place}: it is not for this vertex")
            new.add((message, move.end))
        for message, v in new:
            self.has[message].add(v)

    def end(self):
        for message, has in self.has.items():
            need(has >= self.model.groups.messages[message][0], f"message {message} does not reach all receivers")


def ports(model, certificate):
    """A source sends each of its messages at least once."""
    net, v = model.net, model.net.vertex(certificate.get("vertex"))
    out = sum(1 for s, _, _ in model.groups.messages if s == v)
    into, at = model.coming(v), f"at '{net.names[v]}'"
    return max(ceil(out, model.limit(v, net.out[v]), at), ceil(into, model.limit(v, net.into[v]), at),
               ceil(out + into, net.carried(net.out[v] + net.into[v]), at))


def distance(model, _):
    """A message for one goes all of its distance; others come from the nearest vertex that can store them."""
    net, total, far = model.net, 0, {}
    for (s, _, _), (receivers, _) in model.groups.messages.items():
        for r in receivers:
            if len(receivers) == 1:
                far[s] = far.get(s) or net.distances([s])
                total += far[s][r]
            elif model.wormhole:
                back = net.distances([r], backwards=True)
                total += min((d for v, d in enumerate(back) if v != r and net.terminal[v]), default=FAR)
            else:
                total += 1
    need(total < FAR, "a receiver is out of reach")
    carried = net.carried(range(len(net.ends)))
    if not model.wormhole:
        carried = min(carried, *(sum(model.limit(v, channels) for v, channels in enumerate(of)) for of in (net.out, net.into)))
    return ceil(total, carried)


def cut(model, certificate):
    """Each message with a receiver beyond the cut crosses it."""
    net = model.net
    need(isinstance(certificate.get("side"), list), "the certificate lacks `side`")
    side = {net.vertex(name) for name in certificate["side"]}
    crossing = {True: 0, False: 0}
    for (s, _, _), (receivers, _) in model.groups.messages.items():
        crossing[s in side] += any((r in side) != (s in side) for r in receivers)
    out = [c for c, (a, b) in enumerate(net.ends) if a in side and b not in side]
    back = [c for c, (a, b) in enumerate(net.ends) if a not in side and b in side]
    steps = ceil(crossing[True], net.carried(out), "leaves the side")
    if net.carried(out + back) < net.carried(out) + net.carried(back):
        steps = max(steps, ceil(sum(crossing.values()), net.carried(out + back), "crosses the cut"))
    return steps


def alone(record, number):
    """The model of one group as if it were alone."""
    natural(number, "`group`")
    need(number < len(record["groups"]), "there is no such group")
    group = record["groups"][number]
    kind = group["collective"]
    _, from_root, to_root = {**KINDS, "reduce": (True, False, True), "reduce-scatter": (True, False, False),
                             "all-reduce": (True, False, False)}[kind]
    root = [group.get("source")]
    rest = {key: value for key, value in record.items() if key != "groups"}
    if kind == "all-reduce":
        rest["parts"] = len(group["members"])
    return {**rest, "collective": group["collective"], "source": group.get("source"), "processes": group["members"],
            "senders": root if from_root else group["members"], "receivers": root if to_root else group["members"]}


def useful(model, network):
    """A network without closed channels, and without those that no shortest path between processes takes where paths
    are held and shortest."""
    net = model.net
    used = set(range(len(net.ends))) - net.closed
    if model.wormhole and not model.slack and model.routes is None:
        used = set()
        for s in (v for v, terminal in enumerate(net.terminal) if terminal):
            far = net.distances([s])
            leads = list(net.terminal)
            for v in sorted((v for v, d in enumerate(far) if d < FAR), key=lambda v: -far[v]):
                on = [c for c in net.out[v] if far[net.ends[c][1]] == far[v] + 1 and leads[net.ends[c][1]]]
                used.update(on)
                leads[v] = leads[v] or bool(on)
    new = {c: i for i, c in enumerate(sorted(used))}
    channels = []
    for c in sorted(used):
        channel = {key: value for key, value in network["channels"][c].items() if key != "excludes"}
        other = network["channels"][c].get("excludes")
        channels.append({**channel, "excludes": new[other]} if other in new else channel)
    return {**network, "channels": channels}

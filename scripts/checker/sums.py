"""Collectives that compute: who has added what to the sum of each root, and the bounds of an all-reduce."""
from .ground import FAR, ceil, need
from .trees import among

REDUCTIONS = {"reduce": "oab", "notify": "oab", "reduce-scatter": "aab", "reduce-groups": "groups"}


def backwards(record, network):
    """The broadcast that a reduction is when time runs backwards: its model and network."""
    record = {**record, "collective": REDUCTIONS[record["collective"]],
              "senders": record["receivers"], "receivers": record["senders"]}
    if "groups" in record:
        record["groups"] = [{**group, "collective": REDUCTIONS[group["collective"]]} for group in record["groups"]]
    turned = [{**c, "from": c["to"], "to": c["from"]} for c in network["channels"]]
    return record, {**network, "channels": turned}


class Sums:
    """By sum (root, copy, piece) and vertex, the contributions that the vertex holds; who has handed its part over; who
    has all."""

    def __init__(self, model):
        self.model, self.gathers = model, model.collective in ("all-reduce", "sum-groups")
        if model.groups:
            self.asked = {(root, copy, 0): ends for (root, _, copy), ends in model.groups.sums.items()}
        else:
            ends = (set(model.senders), set(model.receivers), None)
            self.asked = {(r, 1, piece): ends for r in model.receivers for piece in range(model.pieces)}
        self.holds = {part: {s: {s} for s in start} for part, (start, _, _) in self.asked.items()}
        self.handed = {part: set() for part in self.asked}
        self.complete = {part: set(start) if len(start) == 1 else set() for part, (start, _, _) in self.asked.items()}

    def step(self, moves):
        by_root, model = {}, self.model
        for move in moves:
            part = (move.source, move.copy, move.piece)
            need(part in self.asked, f"{move.place}: no sum at this root")
            members = self.asked[part][2]
            for v in (move.start, move.end):
                free = members is None or not model.net.terminal[v] or model.relays
                need(free or v in members, f"{move.place}: it is not for this vertex")
            by_root.setdefault(part, []).append(move)
        for root, some in by_root.items():
            self.gather(root, [move for move in some if move.phase == "gather"])
            self.reduce(root, [move for move in some if move.phase != "gather"])
            for move in some:
                if move.phase == "gather" or len(self.holds[root].get(move.end, ())) == len(self.asked[root][0]):
                    self.complete[root].add(move.end)

    def gather(self, root, moves):
        """Transfers that copy the complete sum."""
        served = set()
        for move in moves:
            need(move.start in self.complete[root], f"{move.place}: the sum is not complete at its start")
            need(move.end not in self.complete[root] | served, f"{move.place}: the sum is there already")
            served.add(move.end)

    def reduce(self, root, moves):
        """Transfers that hand a part over; two vertices may exchange parts that are together all."""
        holds, handed, parts = self.holds[root], self.handed[root], []
        members = among(moves) if self.gathers and self.model.multicast else set()
        if len(members) > 2:
            moves = self.exchange(root, moves, members)
        for move in moves:
            keeps = move.start in self.complete[root] if self.gathers else move.start == root[0]
            need(not keeps, f"{move.place}: its start keeps the sum")
            need(move.start not in handed, f"{move.place}: its start has handed its part over")
            need(holds.get(move.start), f"{move.place}: its start holds no part")
            handed.add(move.start)
            parts.append(holds[move.start])
            holds[move.start] = set()
        for move, part in zip(moves, parts):
            back = [other for m, other in zip(moves, parts) if (m.start, m.end) == (move.end, move.start)]
            if back and self.gathers:
                need(len(part) + len(back[0]) == len(self.asked[root][0]), f"{move.place}: an exchange of less than all")
                holds[move.start] |= part
            else:
                need(move.end not in handed, f"{move.place}: its end has handed its part over")
            holds.setdefault(move.end, set()).update(part)

    def exchange(self, root, moves, members):
        """Three vertices or more exchange all of a sum, which each of them has then; returns the other transfers."""
        holds, handed, place = self.holds[root], self.handed[root], moves[0].place
        for v in members:
            need(v not in self.complete[root] | handed and holds.get(v), f"{place}: one that exchanges holds no part")
        every = set().union(*(holds[v] for v in members))
        need(every == set(self.model.senders), f"{place}: an exchange of less than all")
        handed.update(members)
        holds.update({v: set(every) for v in members})
        return [move for move in moves if not {move.start, move.end} <= members]

    def end(self):
        for part, (start, end, _) in self.asked.items():
            name = self.model.net.names[part[0]]
            if self.gathers:
                need(self.complete[part] >= end, f"the sum for '{name}' is not everywhere")
            else:
                need(self.holds[part].get(part[0]) == start, f"'{name}' lacks contributions")


def number_of_parts(model):
    """One for each process, or one in all where messages join; in pieces."""
    return model.pieces * (1 if model.joins else len(model.receivers))


def volume(model, _):
    """A part takes a transfer for each process but one to be complete, and as many to be everywhere."""
    net, n = model.net, len(model.receivers)
    parts = number_of_parts(model)
    able = [v for v in range(len(net.names)) if net.terminal[v] or not model.wormhole]
    sent = sum(model.limit(v, net.out[v]) for v in able)
    return ceil(2 * parts * (n - 1), min(net.carried(range(len(net.ends))), sent))


def late(model, certificate):
    """What completes the parts at a vertex comes after the farthest contribution; or the reverse in time."""
    net, v, n = model.net, model.net.vertex(certificate["vertex"]), number_of_parts(model)
    need(v in model.receivers, f"'{net.names[v]}' is no process")

    def far(back):
        seen = [d for d in (net.distances([v], backwards=back)[u] for u in model.receivers) if d != FAR]
        return 1 if model.wormhole else max(seen)
    return max(far(True) + ceil(n, model.limit(v, net.into[v])), far(False) + ceil(n, model.limit(v, net.out[v]))) - 1


def cut(model, certificate):
    """Every part crosses a cut between processes in both directions."""
    net, n = model.net, len(model.receivers)
    inside = {net.vertex(v) for v in certificate["side"]}
    need(0 < len(inside.intersection(model.receivers)) < n, "all processes are on one side")
    n = number_of_parts(model)
    there = [c for c, (a, b) in enumerate(net.ends) if a in inside and b not in inside]
    back = [c for c, (a, b) in enumerate(net.ends) if b in inside and a not in inside]
    return max(ceil(n, net.carried(there)), ceil(n, net.carried(back)), ceil(2 * n, net.carried(there + back)))


def partition(model, certificate):
    """Every part goes from one of k sets to another 2 (k - 1) times, out of a set and into one; a transfer of the first
    or the last step serves one process of the n or more of a set. Steps are counted up until they suffice."""
    net, of, sizes = model.net, {}, []
    need(len(certificate["sets"]) > 1, "the sets are fewer than two")
    for number, names in enumerate(certificate["sets"]):
        members = [net.vertex(name) for name in names]
        need(set(members) & set(model.receivers), "a set has no process")
        sizes.append(len(set(members) & set(model.receivers)))
        for v in members:
            need(v not in of, f"'{net.names[v]}' is twice in the sets")
            of[v] = number
    for v in range(len(net.names)):
        idle = not net.out[v] and not net.into[v] or model.wormhole and not net.terminal[v]
        need(v in of or idle, f"'{net.names[v]}' may hold a sum, and is in no set")
    crossing = [(c, a, b) for c, (a, b) in enumerate(net.ends) if of.get(a) != of.get(b)]
    ways = ([c for c, a, _ in crossing if a in of], [c for c, _, b in crossing if b in of])
    crossings = 2 * (len(certificate["sets"]) - 1) * number_of_parts(model)
    capacity = min(net.carried(way) for way in ways)
    if model.joins or len(model.receivers) < 3:
        return ceil(crossings, capacity)
    need(capacity > 0, "nothing leads from set to set")
    n, steps = min(sizes), 2
    while capacity * (n * (steps - 2) + 2) < n * crossings:
        steps += 1
    return steps

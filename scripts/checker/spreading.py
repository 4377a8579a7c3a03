"""Bounds of broadcasts: how fast a message can spread in the network, and in regions that it must enter."""
from .ground import FAR, ceil, need


def growth(model, certificate):
    """In a step every informed vertex informs at most as many others as it can send."""
    need(model.broadcast, "growth is for broadcasts")
    s = model.net.vertex(certificate.get("vertex"))
    need(s in model.asks, f"'{model.net.names[s]}' broadcasts nothing")
    rates = [holders(model).own[s]] + rates_in(model, set(range(len(model.net.names))) - {s})
    return model.waits(rates[0]) + grow(rates, 1, 0, 1 + len(model.asks[s]))


def spread(model, certificate):
    """A message must enter disjoint regions, and spread in each of them once it has entered."""
    need(model.broadcast, "spread is for broadcasts")
    net, regions = model.net, certificate.get("regions")
    need(isinstance(regions, list), "the certificate lacks `regions`")
    if certificate.get("vertex") is not None:
        s = net.vertex(certificate["vertex"])
        need(s in model.asks, f"'{net.names[s]}' broadcasts nothing")
        others = set(range(len(net.names))) - {s}
        # All regions are entered `least` - 1 steps before the end; then each has an informed vertex beside s.
        least = slowest_start(model, others, regions)
        rates = [holders(model).own[s]] + rates_in(model, others)
        return least - 1 + grow(rates, 1, 0, 1 + len(regions)) if least else 0
    need(len(regions) == 1, "without a source there is one region")
    inside = members(model, set(range(len(net.names))), regions[0])
    steps = steps_in(model, inside, regions[0])
    far = net.distances(inside, backwards=True)
    outside = [s for s in model.asks if s not in inside for _ in range(model.pieces)]
    distances = sorted((1 if model.wormhole else far[s] for s in outside), reverse=True)
    need(FAR not in distances, "a message never enters the region")
    rate = inflow(model, inside)
    # The messages that cannot enter before step d enter at the rate of the region from then on.
    last = max((d - 1 + ceil(number, rate, "enters the region") for number, d in enumerate(distances, 1)), default=0)
    return last + steps - 1 if last and steps else 0


def entries(model, certificate):
    """Copies enter a region at a limited rate, and each informs a limited number of its vertices until the end."""
    need(model.broadcast, "entries are those of broadcasts")
    net = model.net
    inside = {net.vertex(v) for v in certificate["side"]}
    wanted = len(inside.intersection(model.receivers)) * len([s for s in model.senders if s not in inside])
    wanted *= model.pieces
    rate = inflow(model, inside)
    need(rate > 0 or not wanted, "a message never enters the region")

    def informs(v):
        """Vertices of the region that v informs in a step; those where all messages stop once each."""
        out = [c for c in net.out[v] if net.ends[c][1] in inside]
        stops = [c for c in out if not model.wormhole or model.hosts and net.terminal[net.ends[c][1]]]
        through = sum(net.capacity[c] for c in out if c not in stops)
        return min(len({net.ends[c][1] for c in stops}) + through, model.limit(v, net.out[v]))
    rates = sorted((informs(v) for v in inside if net.terminal[v] or not model.wormhole), reverse=True)
    receivers, informed, steps = len(inside.intersection(model.receivers)), 1, 0
    while wanted > 0:
        wanted -= rate * min(informed, receivers)
        informed, steps = informed + sum(rates[:informed]), steps + 1
    return steps


def members(model, free, region):
    """The vertices of a region, which must be free; they are taken."""
    inside = [model.net.vertex(name) for name in region["vertices"]]
    need(len(set(inside)) == len(inside) and free.issuperset(inside), "regions overlap, or leave the outer one")
    free.difference_update(inside)
    return set(inside)


def slowest_start(model, inside, regions, depth=0):
    """Steps that every one of some disjoint regions needs at least."""
    need(depth <= 64, "regions are nested more than 64 deep")
    free = set(inside)
    return min([steps_in(model, members(model, free, region), region, depth) for region in regions], default=0)


def steps_in(model, inside, region, depth=0):
    """Steps from no informed vertex in a region to all its receivers informed."""
    net, receivers = model.net, [r for r in model.receivers if r in inside]
    if not receivers:
        return 0
    rates, rate = rates_in(model, inside), inflow(model, inside)
    steps = grow(rates, 0, rate, len(receivers))
    if not model.wormhole:
        doors = {b for a, b in net.ends if a not in inside and b in inside}
        within = [v in inside for v in range(len(net.names))]
        far = net.distances(doors, within=within)
        steps = max(steps, 1 + max(far[r] for r in receivers))
        need(steps < FAR, "a message never reaches a receiver of a region")
    parts = region.get("parts", [])
    least = slowest_start(model, inside, parts, depth + 1)
    return max(steps, least - 1 + grow(rates, 0, rate, len(parts))) if least else steps


class Holders:
    """What each vertex can send and take in a step, of copies that are of use: a copy is of use only on a way to a
    receiver that did not send it, and only where a message of another sender can come from."""

    def __init__(self, model):
        net = model.net
        comes = joined(net, model.senders, backwards=False)
        leads = joined(net, model.receivers, backwards=True)

        def carried(v, channels, end, labels):
            of_use = [c for c in channels if labels[net.ends[c][end]] - {v}]
            return model.limit(v, of_use)

        self.own, self.others, self.taken = ([0] * len(net.names) for _ in range(3))
        for v, terminal in enumerate(net.terminal):
            if terminal or not model.wormhole:
                self.own[v] = carried(v, net.out[v], 1, leads)
                self.others[v] = self.own[v] if comes[v] - {v} else 0
                if v in model.receivers or self.others[v]:
                    self.taken[v] = carried(v, net.into[v], 0, comes)
        self.used = [bool(comes[a]) and bool(leads[b]) for a, b in net.ends]


def joined(net, vertices, backwards):
    """Up to two of some vertices from which a way leads to each vertex, or, backwards, to which it leads."""
    found = [set() for _ in net.names]
    for start in vertices:
        stack = [start]
        while stack:
            v = stack.pop()
            if start not in found[v] and len(found[v]) < 2:
                found[v].add(start)
                stack += [net.ends[c][0 if backwards else 1] for c in (net.into[v] if backwards else net.out[v])]
    return found


def holders(model):
    if "holders" not in model.__dict__:
        model.holders = Holders(model)
    return model.holders


def rates_in(model, inside):
    """Copies of others' messages that each vertex of a set can send in a step, the most first."""
    return sorted((holders(model).others[v] for v in inside), reverse=True)


def inflow(model, inside):
    """Copies that can enter a set in a step."""
    net, known = model.net, holders(model)
    doors = [c for c, (a, b) in enumerate(net.ends) if known.used[c] and a not in inside and b in inside]
    return min(sum(net.capacity[c] for c in doors), sum(known.taken[v] for v in inside))


def grow(rates, informed, rate, wanted):
    """Steps until so many vertices can be informed: `rate` from outside, and all that the informed can send, if
    those that send the most are informed first."""
    steps = 0
    while informed < wanted:
        new = rate + sum(rates[:informed])
        need(new > 0, "a message never enters a region")
        informed, steps = informed + new, steps + 1
    return steps

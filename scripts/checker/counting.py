"""Bounds by counting: what must pass a terminal, a cut or the whole network, over what passes in a step. Each
function returns the steps below which there is no schedule."""
from .ground import FAR, ceil, need


def ports(model, certificate):
    """What a vertex sends and receives passes its channels and ports."""
    net, v = model.net, model.net.vertex(certificate.get("vertex"))
    out = passed_on(model, v) if model.broadcast else model.leaving(v)
    into, at = model.coming(v), f"at '{net.names[v]}'"
    both = net.out[v] + net.into[v]
    return max(ceil(out, model.limit(v, net.out[v]), at), ceil(into, model.limit(v, net.into[v]), at),
               # Where links are half duplex, all of it shares them.
               ceil(out + into, net.carried(both), at))


def passed_on(model, v):
    """Store-and-forward broadcasts: the rest of the network may be in parts, which only v brings together."""
    if model.wormhole:
        return 0
    root = list(range(len(model.net.names)))

    def find(u):
        while root[u] != u:
            root[u] = u = root[root[u]]
        return u

    for a, b in model.net.ends:
        if v not in (a, b):
            root[find(a)] = find(b)
    return model.pieces * sum(len({find(r) for r in row if r != v} - {find(s)}) for s, row in model.asks.items())


def distance(model, _):
    """Every delivery takes its distance, and a step offers the capacity of all links. Where messages stop at every
    vertex, each of their hops also takes a port at either end."""
    net, total = model.net, 0
    for s, row in model.asks.items():
        far = model.lengths_from(s) if not model.broadcast else None
        for r, count in row.items():
            total += count * (far[r] if far else nearest(model, r))
    need(total < FAR, "a receiver is out of reach")
    carried = net.carried(range(len(net.ends)))
    if not model.wormhole:
        at_once = [sum(model.limit(v, channels) for v, channels in enumerate(of)) for of in (net.out, net.into)]
        carried = min(carried, *at_once)
    return ceil(total, carried)


def nearest(model, r):
    """The least distance from which a broadcast message can come: that of a vertex that can store it."""
    if not model.wormhole:
        return 1 if model.net.into[r] else FAR
    if r not in (known := model.__dict__.setdefault("nearest", {})):
        far = model.net.distances([r], backwards=True)
        known[r] = min((d for v, d in enumerate(far) if v != r and model.net.terminal[v]), default=FAR)
    return known[r]


def eccentricity(model, certificate):
    """Store-and-forward: a message advances one channel in a step."""
    need(not model.wormhole, "eccentricity is for store-and-forward")
    v = model.net.vertex(certificate.get("vertex"))
    far = model.lengths_from(v)
    most = max((far[r] for r in model.asks.get(v, {})), default=0)
    need(most < FAR, "a receiver is out of reach")
    return most + model.waits(model.limit(v, model.net.out[v])) if most else 0


def journeys(model, certificate):
    """Of all messages that leave v, those with d or more channels to go do so at a limited rate, and the last of
    them still has d - 1 steps to go then; in reverse for those that arrive."""
    need(not model.wormhole and not model.broadcast, "journeys are for store-and-forward scatters")
    net, v, most = model.net, model.net.vertex(certificate.get("vertex")), 0
    there, here = model.lengths_from(v), model.lengths_to(v)
    for lengths, channels in (([there[r] for r, n in model.asks.get(v, {}).items() for _ in range(n)], net.out[v]),
                              ([here[s] for s in model.senders for _ in range(model.asks[s].get(v, 0))], net.into[v])):
        need(FAR not in lengths, "a receiver is out of reach")
        for number, d in enumerate(sorted(lengths, reverse=True), 1):
            most = max(most, ceil(number, model.limit(v, channels)) + d - 1)
    return most


def pipeline(model, _):
    """Each message has steps before it leaves, as many as its distance on the way, and steps after it has arrived:
    together all steps. No more leave, or arrive, in one of them than the channels and ports at a terminal take."""
    need(not model.wormhole and not model.broadcast, "a pipeline is for store-and-forward scatters")
    net, total, number, coming = model.net, 0, 0, {}
    for s, row in model.asks.items():
        far, leaving = model.lengths_from(s), sum(row.values())
        for r, count in row.items():
            total += count * far[r]
            coming[r] = coming.get(r, 0) + count
        number += leaving
        total += sum(k // model.limit(s, net.out[s]) for k in range(leaving))
    need(total < FAR, "a receiver is out of reach")
    for r, arriving in coming.items():
        total += sum(k // model.limit(r, net.into[r]) for k in range(arriving))
    return ceil(total, number) if number else 0


def leaving(model, certificate):
    """Routes by destination: what begins at a vertex, or at terminals that hang on it, leaves for one destination over
    one channel. Groups of at least w messages, each over one channel."""
    need(model.routes is not None and not model.broadcast, "leaving is for one route a pair")
    net, v = model.net, model.net.vertex(certificate.get("vertex"))
    inside = {v} | {u for u in range(len(net.out)) if net.terminal[u] and len(net.out[v]) > 1
                    and [net.ends[c][1] for c in net.out[u]] == [v] == [net.ends[c][0] for c in net.into[u]]}
    rooms = [net.capacity[c] for c in net.out[v] if net.ends[c][1] not in inside]
    groups, taken = {}, {}
    for s in inside:
        for r, count in model.asks.get(s, {}).items():
            if r not in inside and count:
                first = next((c for c in model.routes[s, r] if net.ends[c][0] == v), None)
                need(taken.setdefault(r, first) == first, "routes to one destination part there")
                groups[r] = groups.get(r, 0) + count
    best = 0
    for w in set(groups.values()):
        many = sum(count >= w for count in groups.values())
        need(rooms, "no channel leaves")
        # The loads at which one more group finds room: multiples of w over a capacity.
        loads = sorted(ceil(k * w, room) for room in rooms for k in range(1, many + 1))
        best = max(best, loads[many - 1])
    return best


def cut(model, certificate):
    """Messages from a side to the rest pass the channels between. Store-and-forward scatters: the first message
    must reach one of them before, and the last must get from one to its destination after."""
    net = model.net
    need(isinstance(certificate.get("side"), list), "the certificate lacks `side`")
    side = {net.vertex(name) for name in certificate["side"]}
    out = [c for c, (a, b) in enumerate(net.ends) if a in side and b not in side]
    back = [c for c, (a, b) in enumerate(net.ends) if a not in side and b in side]
    crossing = {True: 0, False: 0}
    first, last = set(), set()
    for s, row in model.asks.items():
        over = {r: n for r, n in row.items() if (r in side) != (s in side)}
        crossing[s in side] += model.pieces * min(1, len(over)) if model.broadcast else sum(over.values())
        if over and s in side:
            first.add(s)
            last.update(over)
    steps = ceil(crossing[True], net.carried(out), "leaves the side")
    if first and not model.wormhole and not model.broadcast:
        before, after = net.distances(first), net.distances(last, backwards=True)
        gaps = [min(before[net.ends[c][0]] for c in out), min(after[net.ends[c][1]] for c in out)]
        steps += sum(gap for gap in gaps if gap < FAR)
    if net.carried(out + back) < net.carried(out) + net.carried(back):
        # Half-duplex links carry what crosses in either direction.
        steps = max(steps, ceil(sum(crossing.values()), net.carried(out + back), "crosses the cut"))
    return steps

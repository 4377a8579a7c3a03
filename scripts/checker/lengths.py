"""Bounds in bytes, of a traffic whose messages have lengths: what is said of messages holds for bytes."""
import copy

from .ground import Refused, ceil, natural, need
from .model import delays as bytes_of_delays
from .weighing import weigh


def check(file, model, bound, arguments):
    """Checks a bound in bytes: what its argument gives, and that the schedule has as many. Whether it is proved."""
    claim, name = natural(bound["bytes"], "`bytes`"), bound["name"]
    need(type(bound["certified"]) is bool, "`certified` is true or false")
    own, pairs = file["model"].get("lengths"), file["model"].get("pairs")
    need(isinstance(own, list) and len(own) == len(pairs), "a bound in bytes needs `lengths` of all pairs")
    has = span(file)
    need(claim <= has, f"bound {name!r} claims {claim} bytes, the schedule has {has}")
    need(name != "lengths" or not model.timed, "lengths bound steps, and a timed schedule has none")
    if not bound["certified"]:
        return False
    found = {"longest": lambda: longest(model, pairs, own), "lengths": lambda: by_steps(model, pairs, own, bound.get("certificate", {}))}.get(name)
    if found is None:
        need(name in ("ports", "cut", "distance", "congestion"), f"no certified bound in bytes is named {name!r}")
        certificate = bound.get("certificate", {})
        found = lambda: arguments[name](in_bytes(model, pairs, own), certificate) + gain(model, pairs, name, certificate)
    try:
        value = found()
    except Refused as why:
        raise Refused(f"bound {name!r}: {why}") from None
    need(claim <= value, f"bound {name!r} claims {claim} bytes, its argument gives {value}")
    return True


def span(file):
    """The end of a timed schedule; of steps, the longest messages of all of them together."""
    delay = bytes_of_delays(file["network"])
    late = lambda t: sum(delay[c] for c in t["channels"]) if file["model"].get("timing") == "timed" else 0
    end = lambda t: t.get("at", 0) + t["message"]["bytes"] + late(t)
    return sum(max(map(end, step), default=0) for step in file["steps"])


def delays(model, pairs):
    """The least delay of a path of each pair, of its route where that is fixed."""
    net, near = model.net, {}
    for source, destination in pairs:
        s, r = net.vertex(source), net.vertex(destination)
        if model.routes and (s, r) in model.routes:
            yield sum(net.delay[c] for c in model.routes[s, r])
            continue
        if s not in near:
            near[s] = net.nearest(s, model.slack)
        yield near[s][r]


def longest(model, pairs, own):
    """A message takes its bytes, and in a timed schedule the delay of its path."""
    return max(map(sum, zip(own, delays(model, pairs)))) if model.timed else max(own)


def gain(model, pairs, name, certificate):
    """What a bound of a timed schedule gains by delays: the way of the first or the last message of a terminal whose
    links have a direction for each, a channel across the cut."""
    net = model.net
    if not model.timed or not any(net.delay):
        return 0
    if name == "ports":
        v = net.vertex(certificate["vertex"])
        if any(net.link.count(net.link[c]) > 1 for c in net.out[v] + net.into[v]):
            return 0
        return min((late for pair, late in zip(pairs, delays(model, pairs)) if certificate["vertex"] in pair), default=0)
    if name == "cut":
        inside = {net.vertex(v) for v in certificate["side"]}
        return min((net.delay[c] for c, (a, b) in enumerate(net.ends) if (a in inside) != (b in inside)), default=0)
    return 0


def in_bytes(model, pairs, own):
    """The model in which a message of b bytes counts b times."""
    heavy = copy.copy(model)
    heavy.asks = {s: dict.fromkeys(row, 0) for s, row in model.asks.items()}
    for (source, destination), length in zip(pairs, own):
        heavy.asks[model.net.vertex(source)][model.net.vertex(destination)] += natural(length, "`lengths`")
    return heavy


def by_steps(model, pairs, own, certificate):
    """The j-th longest step is at least as long as the message that needs j steps at some terminal or link, or by
    some weights."""
    net, carried = model.net, {}
    of_steps = {}  # by length, the steps of the messages that are at least as long
    for weights in certificate.get("several") or []:
        of_pairs, supply = weigh(model, weights)
        weight = lambda pair: of_pairs[net.vertex(pair[0]), net.vertex(pair[1])] * model.pieces
        for length in set(own):
            all_of = sum(weight(pair) for pair, other in zip(pairs, own) if other >= length)
            of_steps[length] = max(of_steps.get(length, 0), ceil(all_of, supply))
    for (source, destination), length in zip(pairs, own):
        s, r = net.vertex(source), net.vertex(destination)
        uses = [(("out", s), model.limit(s, net.out[s])), (("into", r), model.limit(r, net.into[r]))]
        for c in (model.routes or {}).get((s, r), []):
            uses.append((("link", net.link[c]), net.carried([c])))
        for key, at_once in uses:
            carried.setdefault(key, (at_once, []))[1].extend([length] * model.pieces)
    rows = [sorted(of, reverse=True)[::max(1, at_once)] for at_once, of in carried.values()]
    rows += [[length] * steps for length, steps in of_steps.items()]
    return sum(max(row[j] for row in rows if j < len(row)) for j in range(max(map(len, rows))))

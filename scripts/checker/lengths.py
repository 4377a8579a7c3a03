"""Bounds in bytes, of a traffic whose messages have lengths: what is said of messages holds for bytes."""
import copy

from .ground import Refused, natural, need


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
    found = {"longest": lambda: max(own), "lengths": lambda: by_steps(model, pairs, own)}.get(name)
    if found is None:
        need(name in ("ports", "cut", "distance", "congestion"), f"no certified bound in bytes is named {name!r}")
        found = lambda: arguments[name](in_bytes(model, pairs, own), bound.get("certificate", {}))
    try:
        value = found()
    except Refused as why:
        raise Refused(f"bound {name!r}: {why}") from None
    need(claim <= value, f"bound {name!r} claims {claim} bytes, its argument gives {value}")
    return True


def span(file):
    """The end of a timed schedule; of steps, the longest messages of all of them together."""
    return sum(max((t.get("at", 0) + t["message"]["bytes"] for t in step), default=0) for step in file["steps"])


def in_bytes(model, pairs, own):
    """The model in which a message of b bytes counts b times."""
    heavy = copy.copy(model)
    heavy.asks = {s: dict.fromkeys(row, 0) for s, row in model.asks.items()}
    for (source, destination), length in zip(pairs, own):
        heavy.asks[model.net.vertex(source)][model.net.vertex(destination)] += natural(length, "`lengths`")
    return heavy


def by_steps(model, pairs, own):
    """The j-th longest step is at least as long as the message that needs j steps at some terminal or link."""
    net, carried = model.net, {}
    for (source, destination), length in zip(pairs, own):
        s, r = net.vertex(source), net.vertex(destination)
        uses = [(("out", s), model.limit(s, net.out[s])), (("into", r), model.limit(r, net.into[r]))]
        for c in (model.routes or {}).get((s, r), []):
            uses.append((("link", net.link[c]), net.carried([c])))
        for key, at_once in uses:
            carried.setdefault(key, (at_once, []))[1].append(length)
    rows = [sorted(of, reverse=True)[::max(1, at_once)] for at_once, of in carried.values()]
    return sum(max(row[j] for row in rows if j < len(row)) for j in range(max(map(len, rows))))

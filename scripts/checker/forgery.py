"""Forged schedule files: some that must be refused whatever the network, and some that may by chance be right.

The second kind still says much. A valid schedule of K steps is at hand, so no certificate at all, however it is
changed, may prove K + 1. And two checkers must agree on each of them."""
import random

from .bounds import value
from .ground import Refused

NOWHERE = "no such vertex"


def changed(tree, path, new):
    """A copy of a tree of objects and lists with one place changed; `new` gets what is there."""
    if not path:
        return new(tree)
    copy = list(tree) if isinstance(tree, list) else dict(tree)
    there = tree[path[0]] if isinstance(tree, list) else tree.get(path[0])
    copy[path[0]] = changed(there, path[1:], new)
    return copy


def put(tree, path, what):
    return changed(tree, path, lambda _: what)


def without(tree, path):
    last = path[-1]
    return changed(tree, path[:-1], lambda at: [x for i, x in enumerate(at) if i != last] if isinstance(at, list)
                   else {k: x for k, x in at.items() if k != last})


def wrong_certificates(file, bound, at):
    """Certificates that are none, whatever they would prove."""
    certificate = bound.get("certificate", {})
    path = ["bounds", at, "certificate"]
    for key, what in certificate.items():
        if key == "vertex":
            yield "unknown vertex", put(file, [*path, key], NOWHERE)
        elif key == "group":
            yield "unknown group", put(file, [*path, key], len(file["model"]["groups"]))
        elif key == "side":
            yield "unknown vertex in the side", put(file, [*path, key], [*what, NOWHERE])
        elif key == "regions" and what and what[0]["vertices"]:
            yield "overlapping regions", put(file, [*path, key], [*what, what[0]])
            yield "unknown vertex in a region", put(file, [*path, key, 0, "vertices", 0], NOWHERE)
        elif key == "sets":
            yield "a vertex in two sets", put(file, [*path, key], [*what, what[0][:1]])
            yield "a set without a process", put(file, [*path, key], [*what, []])
            yield "a process in no set", put(file, [*path, key], what[1:])
        elif key == "channel_weights":
            yield "weight missing", put(file, [*path, key], what[1:])
            for weight in (-1, 0.5, "1", None, True):
                yield f"weight {weight!r}", put(file, [*path, key, 0], weight)
            zero = {k: [0] * len(w) if isinstance(w, list) else {} for k, w in certificate.items()}
            yield "all weights 0", put(file, path, zero)
            if file["model"]["ports"] == "all":
                name = file["model"]["senders"][0]
                yield "port without limit", put(file, path, {**certificate, "send_port_weights": {name: 1}})
        if key in ("side", "sets", "regions", "channel_weights") or (key == "vertex" and "regions" not in certificate):
            yield f"without {key}", without(file, [*path, key])


def wrong_bounds(file, model):
    """Bounds that claim more than they prove."""
    for at, bound in enumerate(file["bounds"]):
        if "bytes" in bound:
            yield f"{bound['name']}: more bytes", put(file, ["bounds", at, "bytes"], bound["bytes"] + 10**9)
            continue
        if bound["certified"]:
            claim = value(model, bound) + 1
            longer = {**file, "steps": file["steps"] + [[]] * max(0, claim - len(file["steps"]))}
            yield f"{bound['name']}: one step more", put(longer, ["bounds", at, "steps"], claim)
            yield f"{bound['name']}: another name", put(file, ["bounds", at, "name"], "guess")
            for label, forged in wrong_certificates(file, bound, at):
                yield f"{bound['name']}: {label}", forged
        yield "more than the schedule", put(file, ["bounds", at, "steps"], len(file["steps"]) + 1)


def wrong_schedules(file, rng):
    """Schedules that break a rule of any network."""
    places = [(s, i) for s, step in enumerate(file["steps"]) for i in range(len(step))]
    receivers = set(file["model"]["receivers"])
    s, i = rng.choice([p for p in places if file["steps"][p[0]][p[1]]["to"] in receivers])
    transfer = file["steps"][s][i]
    yield "a delivery is missing", without(file, ["steps", s, i])
    yield "a transfer is there twice", put(file, ["steps", s], [*file["steps"][s], transfer])
    yield "a delivery is repeated later", put(file, ["steps"], [*file["steps"], [transfer]])
    yield "no channels", put(file, ["steps", s, i, "channels"], [])
    yield "unknown channel", put(file, ["steps", s, i, "channels", 0], len(file["network"]["channels"]))
    yield "negative channel", put(file, ["steps", s, i, "channels", 0], -1)
    yield "ends swapped", put(file, ["steps", s, i], {**transfer, "from": transfer["to"], "to": transfer["from"]})
    if "at" in transfer:
        yield "no start", without(file, ["steps", s, i, "at"])
        yield "a start before 0", put(file, ["steps", s, i, "at"], -1)
    if "bytes" in transfer["message"]:
        yield "another length", put(file, ["steps", s, i, "message", "bytes"], transfer["message"]["bytes"] + 1)
    yield "unknown sender", put(file, ["model", "senders", 0], NOWHERE)
    yield "unknown collective", put(file, ["model", "collective"], "gossip")
    yield "no ports", put(file, ["model", "ports"], 0)
    yield "no capacity", put(file, ["network", "channels", transfer["channels"][0], "capacity"], 0)
    second = file["network"]["vertices"][1]["name"]
    yield "two vertices of one name", put(file, ["network", "vertices", 0, "name"], second)


def certificates(file, model, rng, number):
    """Bounds with random certificates of the right shape: `number` of each bound."""
    vertices, channels = model.net.names, len(model.net.ends)
    some = lambda: rng.sample(vertices, rng.randint(1, max(1, len(vertices) - 1)))
    regions = lambda depth: [
        {"vertices": part, "parts": [{"vertices": part[: rng.randint(1, len(part))]}] if depth else []}
        for part in (some()[: rng.randint(1, 4)] for _ in range(rng.randint(1, 3)))]
    for at, bound in enumerate(file["bounds"]):
        for _ in range(number if bound["certified"] and "bytes" not in bound else 0):
            certificate = dict(bound.get("certificate", {}))
            for key, what in list(certificate.items()):
                if key == "vertex":
                    certificate[key] = rng.choice(vertices)
                elif key == "side":
                    certificate[key] = some()
                elif key == "sets":
                    members = [v for part in what for v in part]
                    rng.shuffle(members)
                    cuts = sorted(rng.sample(range(1, len(members)), min(len(members) - 1, rng.randint(0, 3))))
                    certificate[key] = [members[a:b] for a, b in zip([0, *cuts], [*cuts, len(members)])]
                elif key == "regions":
                    certificate[key] = regions(1) if rng.random() < 0.5 else what[: rng.randint(1, len(what))]
                elif key == "channel_weights":
                    certificate[key] = [max(0, w + rng.choice((0, 0, 0, -1, 1, 5))) for w in what]
                    if rng.random() < 0.5:
                        certificate[key] = [int(rng.random() < 0.3) for _ in range(channels)]
                elif key == "group":
                    certificate[key] = rng.randrange(len(file["model"]["groups"]) + 1)
                elif rng.random() < 0.5:
                    certificate[key] = {name: rng.choice((0, w, w + 1)) for name, w in what.items()}
            yield at, {**bound, "certificate": certificate}


def changes(file, rng, number):
    """Small changes of the schedule and the network, each of which may be right."""
    steps, names = file["steps"], [v["name"] for v in file["network"]["vertices"]]
    roots = any("root" in transfer["message"] for step in steps for transfer in step)
    source = "root" if roots else "source"
    for _ in range(number):
        s = rng.choice([s for s, step in enumerate(steps) if step])
        i, t = rng.randrange(len(steps[s])), rng.randrange(len(steps))
        c = rng.randrange(len(file["network"]["channels"]))
        moved = changed(without(file, ["steps", s, i]), ["steps", t], lambda step: [*step, steps[s][i]])
        yield rng.choice((
            ("moved to another step", moved),
            ("another channel", put(file, ["steps", s, i, "channels", rng.randrange(len(steps[s][i]["channels"]))], c)),
            ("another source", put(file, ["steps", s, i, "message", source], rng.choice(names))),
            ("another start", put(file, ["steps", s, i, "from"], rng.choice(names))),
            ("two steps swapped", put(put(file, ["steps", s], steps[t]), ["steps", t], steps[s])),
            ("two steps in one", without(put(file, ["steps", s], steps[s] + steps[t]), ["steps", t])),
            ("one port", put(file, ["model", "ports"], 1)),
            ("longer paths allowed", put(file, ["model", "routing"], "slack:1")),
            ("paths of any length", put(file, ["model", "routing"], "any")),
            ("shortest paths only", put(file, ["model", "routing"], "minimal")),
            ("the other switching", put(file, ["model", "switching"], rng.choice(("wormhole", "store-and-forward")))),
            ("copies in switches or none", changed(file, ["model", "multicast"], lambda copies: None if copies else "switch")),
            ("wider channel", put(file, ["network", "channels", c, "capacity"], 2)),
            ("terminal or switch", changed(file, ["network", "vertices", names.index(rng.choice(names)), "terminal"],
                                           lambda terminal: not terminal)),
        ))


def wrong(file, model, rng):
    """Everything that must be refused."""
    yield from wrong_bounds(file, model)
    yield from wrong_schedules(file, rng)


def trial(file, model, verdict, number=20):
    """Forges a valid file; says how many forgeries were refused."""
    rng, refused, proved = random.Random(1), 0, 0
    for label, forged in wrong(file, model, rng):
        if verdict(forged) is None:
            raise Refused(f"a forgery is accepted: {label}")
        refused += 1
    for _, bound in certificates(file, model, rng, number):
        try:
            found = value(model, bound)
        except Refused:
            continue
        proved += 1
        if found > len(file["steps"]):
            raise Refused(f"a certificate proves {found} steps, but there is a schedule of fewer: {bound!r}")
    return f"{refused} forgeries refused, {proved} random certificates prove no more than the schedule has"

"""Copies and sums in switches: which transfers of a step are one. A tree is written as paths from its root to its ends,
or of a sum from its leaves to its root; and an exchange of all of a sum over one vertex as the paths from each to each."""


def split(model, moves):
    """The transfers of a step in lists, each of which holds every channel of its paths once."""
    exchanged = [unit for unit in exchanges(model, moves) if over_one_vertex(model.net, unit)]
    inside = {id(move) for unit in exchanged for move in unit}
    trees = {}
    for move in moves:
        if id(move) in inside:
            continue
        back = model.backwards is not None or move.phase == "reduce"
        root, first = (move.end, move.channels[-1]) if back else (move.start, move.channels[0])
        # A host makes the copies that leave it over several channels; with wormhole switching its router does.
        trees.setdefault((move.source, move.piece, back, root, first if model.hosts else None), []).append(move)
    units = exchanged
    for (_, _, back, root, _), some in trees.items():
        channels = {c for move in some for c in move.channels}
        # The ends of its channels away from the root: all different, and none of them the root.
        leaves = [model.net.ends[c][0 if back else 1] for c in channels]
        whole = len(set(leaves)) == len(leaves) and root not in leaves
        units += [some] if whole else [[move] for move in some]
    return units


def among(moves):
    """The vertices of an exchange, each of which sends once to each other one; none if these are no such moves."""
    pairs = [(move.start, move.end) for move in moves]
    mutual = [(a, b) for a, b in pairs if (b, a) in pairs]
    vertices = {a for a, _ in mutual}
    whole = sorted(mutual) == sorted((a, b) for a in vertices for b in vertices if a != b)
    return vertices if whole else set()


def exchanges(model, moves):
    """The transfers between three vertices or more that exchange a sum."""
    if model.collective != "all-reduce":
        return
    sums = {}
    for move in moves:
        if move.phase == "reduce":
            sums.setdefault((move.source, move.piece), []).append(move)
    for some in sums.values():
        vertices = among(some)
        if len(vertices) > 2:
            yield [move for move in some if move.start in vertices and move.end in vertices]


def over_one_vertex(net, moves):
    """Whether the paths meet in one vertex, lead into it as a tree, and out of it as another tree."""
    paths = [[move.start] + [net.ends[c][1] for c in move.channels] for move in moves]
    for hub in set.intersection(*map(set, paths)):
        into, out = set(), set()
        for move, path in zip(moves, paths):
            before = path.index(hub)
            into.update(move.channels[:before])
            out.update(move.channels[before:])
        starts, ends = [net.ends[c][0] for c in into], [net.ends[c][1] for c in out]
        # A half-duplex link has room for one of its directions.
        links = {net.link[c] for c in into | out}
        alone = len(links) == len(into) + len(out)
        if alone and len(set(starts)) == len(starts) and len(set(ends)) == len(ends):
            return True
    return False

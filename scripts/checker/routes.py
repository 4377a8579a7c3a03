"""Routes: a simple path, and the routes of a dragonfly."""
from .ground import Refused, natural, need


def walk(net, start, channels):
    """The vertices of a simple path."""
    visited = [start]
    for c in channels:
        need(natural(c, "a channel") < len(net.ends), f"there is no channel {c}")
        need(net.ends[c][0] == visited[-1], f"channel {c} does not start at '{net.names[visited[-1]]}'")
        visited.append(net.ends[c][1])
    need(len(set(visited)) == len(visited), "a path visits a vertex twice")
    return visited


def local_global_local(net):
    """Dragonflies: the route of every pair of terminals by the one channel between two groups."""
    switches = [v for v, terminal in enumerate(net.terminal) if not terminal]
    for size in (a for a in range(1, len(switches) // 2 + 1) if len(switches) % a == 0):
        group = {v: i // size for i, v in enumerate(switches)}
        local, bridge, twice = {}, {}, False
        for c, (a, b) in enumerate(net.ends):
            if a in group and b in group:
                table, key = (local, (a, b)) if group[a] == group[b] else (bridge, (group[a], group[b]))
                twice |= key in table
                table[key] = c
        groups = len(switches) // size
        if not twice and len(local) == len(switches) * (size - 1) and len(bridge) == groups * (groups - 1):
            break
    else:
        raise Refused("routing 'lgl', but the network is no dragonfly")
    routes = {}
    hosts = [v for v, terminal in enumerate(net.terminal) if terminal and (net.out[v] or net.into[v])]
    for v in hosts:
        need(len(net.out[v]) == len(net.into[v]) == 1, f"'{net.names[v]}' is not on one switch")
        need(net.ends[net.out[v][0]][1] == net.ends[net.into[v][0]][0] in group, f"'{net.names[v]}' is on no switch")
    for s in hosts:
        for r in (r for r in hosts if r != s):
            at, last = net.ends[net.out[s][0]][1], net.ends[net.into[r][0]][0]
            route = [net.out[s][0]]
            if group[at] != group[last]:
                over = bridge[group[at], group[last]]
                route += [local[at, net.ends[over][0]]] if at != net.ends[over][0] else []
                route.append(over)
                at = net.ends[over][1]
            route += [local[at, last]] if at != last else []
            routes[s, r] = route + [net.into[r][0]]
    return routes

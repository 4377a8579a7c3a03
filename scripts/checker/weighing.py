"""The congestion bound: what all messages weigh at least, over what a step can carry at most."""
import heapq

from .ground import FAR, ceil, natural, need


def congestion(model, certificate):
    """With a weight on every link and port: all messages take at least their lightest allowed paths, and a step
    carries at most the weight of all links and ports, each as often as its capacity."""
    need(not model.broadcast, "congestion is not for broadcasts")
    of_pairs, supply = weigh(model, certificate)
    return ceil(sum(count * of_pairs[s, r] for s, row in model.asks.items() for r, count in row.items()), supply)


def weigh(model, certificate):
    """The least weight of a message by source and destination, and the weight that a step carries at most."""
    net, weight = model.net, certificate.get("channel_weights")
    need(isinstance(weight, list) and len(weight) == len(net.ends), "`channel_weights`: one for every channel")
    weight = [natural(w, "a weight") for w in weight]
    ends = []
    for key in ("send_port_weights", "receive_port_weights"):
        ends.append([0] * len(net.names))
        for name, w in (certificate.get(key) or {}).items():
            need(model.ports is not None and net.terminal[net.vertex(name)], f"'{name}' has no limited ports")
            ends[-1][net.vertex(name)] = natural(w, "a weight")
    send, receive = ends
    # Either direction of a half-duplex link may be the one in use.
    dearest = {}
    for c, link in enumerate(net.link):
        dearest[link] = max(dearest.get(link, 0), weight[c])
    supply = sum(w * net.capacity[link] for link, w in dearest.items())
    supply += sum(send + receive) * (model.ports or 0)
    need(supply > 0, "all weights are 0")
    stop = (lambda a, b: 0) if model.wormhole else (lambda a, b: send[a] + receive[b])
    hop = [weight[c] + stop(a, b) for c, (a, b) in enumerate(net.ends)]
    of_pairs = {}
    for s, row in model.asks.items():
        lightest = lightest_paths(model, s, row, hop)
        for r in row:
            need(lightest[r] < FAR, f"no path leads from '{net.names[s]}' to '{net.names[r]}'")
            of_pairs[s, r] = lightest[r] + (send[s] + receive[r] if model.wormhole else 0)
    return of_pairs, supply


def lightest_paths(model, s, row, hop):
    """The weight of a lightest walk to every vertex that has at most `slack` channels more than the shortest."""
    if model.routes is not None:
        need(all((s, r) in model.routes for r in row), f"'{model.net.names[s]}' has no route to a receiver")
        return {r: sum(hop[c] for c in model.routes[s, r]) for r in row}
    net = model.net
    if model.slack == FAR:
        return lightest_of_any_length(net, s, hop)
    far = net.distances([s])
    order = sorted((v for v, d in enumerate(far) if d < FAR), key=far.__getitem__)
    # best[v] of a round: the lightest walk with that number of channels to spare used up. A channel uses up
    # 1 + far[a] - far[b] of them, which is never negative.
    best, rounds = [FAR] * len(far), []
    for spent in range(min(model.slack, len(order)) + 1):
        now = [FAR] * len(far)
        now[s] = 0 if spent == 0 else FAR
        rounds.append(now)
        for v in order:
            for c in net.into[v]:
                a = net.ends[c][0]
                if far[a] < FAR and (before := spent - (1 + far[a] - far[v])) >= 0:
                    now[v] = min(now[v], rounds[before][a] + hop[c])
            best[v] = min(best[v], now[v])
    return best


def lightest_of_any_length(net, s, hop):
    """The weight of a lightest path to every vertex, by Dijkstra."""
    best, heap = [FAR] * len(net.names), [(0, s)]
    best[s] = 0
    while heap:
        weight, v = heapq.heappop(heap)
        if weight == best[v]:
            for c in net.out[v]:
                b = net.ends[c][1]
                if weight + hop[c] < best[b]:
                    best[b] = weight + hop[c]
                    heapq.heappush(heap, (best[b], b))
    return best

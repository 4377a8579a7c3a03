#!/usr/bin/env python3
"""What others would do with the problem of a schedule file: CP-SAT, greedy colouring, round robin.

    peers.py FILE METHOD SECONDS OUTPUT

FILE is a schedule of an all-to-all scatter by wormhole switching over shortest paths, as `ccsched
solve -o` writes it; only its network and model are read. METHOD is `cp-sat` (OR-tools: every message
takes one shortest path and one step, a channel carries one message a step; the largest step is
minimised), `greedy` (NetworkX: one shortest path a message, greedy colouring of the conflict graph)
or `round-robin` (terminal i sends to terminal i + t in phase t; a phase takes as many steps as a
greedy colouring of its own messages). The schedule goes to OUTPUT, to be verified; one line of JSON
with steps, a lower bound where there is one, and seconds goes to the standard output.
"""

import json
import sys
import time

import networkx as nx


def read(path):
    """The schedule file, the graph of its network, and its messages."""
    with open(path, encoding="utf-8") as file:
        schedule = json.load(file)
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(vertex["name"] for vertex in schedule["network"]["vertices"])
    for number, channel in enumerate(schedule["network"]["channels"]):
        if "excludes" in channel or channel.get("capacity", 1) > 1:
            sys.exit("peers.py: only full-duplex links of capacity 1")
        graph.add_edge(channel["from"], channel["to"], key=number)
    model = schedule["model"]
    if (model["switching"], model["routing"], model["ports"]) != ("wormhole", "minimal", "all"):
        sys.exit("peers.py: only wormhole switching over shortest paths with all ports")
    messages = [(a, b) for a in model["senders"] for b in model["receivers"] if a != b]
    return schedule, graph, messages


def channels(graph, vertices):
    """The first channel of every hop of a path."""
    return tuple(min(graph[a][b]) for a, b in zip(vertices, vertices[1:]))


def fixed_paths(graph, messages):
    """One shortest path for every message."""
    trees = {a: nx.single_source_shortest_path(graph, a) for a in {a for a, _ in messages}}
    return [channels(graph, trees[a][b]) for a, b in messages]


def coloured(paths):
    """Steps by greedy colouring of the conflict graph of some paths, largest degree first."""
    conflicts = nx.Graph()
    conflicts.add_nodes_from(range(len(paths)))
    users = {}
    for number, path in enumerate(paths):
        for channel in path:
            conflicts.add_edges_from((other, number) for other in users.get(channel, ()))
            users.setdefault(channel, []).append(number)
    return nx.greedy_color(conflicts, strategy="largest_first")


def greedy(graph, messages, _seconds):
    """Greedy colouring of all messages."""
    paths = fixed_paths(graph, messages)
    colour = coloured(paths)
    return [(colour[number], path) for number, path in enumerate(paths)], None


def round_robin(graph, messages, _seconds):
    """Phase after phase, each coloured for itself."""
    paths = dict(zip(messages, fixed_paths(graph, messages)))
    members = list(dict.fromkeys(a for a, _ in messages))
    places, first = {}, 0
    for shift in range(1, len(members)):
        pairs = [(a, members[(i + shift) % len(members)]) for i, a in enumerate(members)]
        colour = coloured([paths[pair] for pair in pairs])
        for number, pair in enumerate(pairs):
            places[pair] = (first + colour[number], paths[pair])
        first += 1 + max(colour.values())
    return [places[message] for message in messages], None


def cp_sat(graph, messages, seconds):
    """The exact formulation, which starts from the greedy schedule."""
    from ortools.sat.python import cp_model

    start, _ = greedy(graph, messages, seconds)
    steps = 1 + max(step for step, _ in start)
    model = cp_model.CpModel()
    last = model.new_int_var(0, steps - 1, "last")
    users, choices = {}, []
    for number, (a, b) in enumerate(messages):
        ways = [channels(graph, way) for way in nx.all_shortest_paths(graph, a, b)]
        choice = {}
        for way in dict.fromkeys(ways):
            for step in range(steps):
                taken = model.new_bool_var("")
                choice[way, step] = taken
                model.add_hint(taken, start[number] == (step, way))
                model.add(last >= step).only_enforce_if(taken)
                for channel in way:
                    users.setdefault((channel, step), []).append(taken)
        model.add_exactly_one(choice.values())
        choices.append(choice)
    for taken in users.values():
        model.add_at_most_one(taken)
    model.minimize(last)
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return start, None
    found = []
    for choice in choices:
        found.append(next((s, way) for (way, s), taken in choice.items() if solver.value(taken)))
    return found, 1 + round(solver.best_objective_bound)


def write(schedule, messages, places, path):
    """The schedule file with these places."""
    steps = [[] for _ in range(1 + max(step for step, _ in places))]
    for (a, b), (step, way) in zip(messages, places):
        message = {"source": a, "destination": b}
        steps[step].append({"message": message, "from": a, "to": b, "channels": list(way)})
    schedule = dict(schedule, steps=[step for step in steps if step], bounds=[])
    with open(path, "w", encoding="utf-8") as file:
        json.dump(schedule, file)
    return len(schedule["steps"])


def main():
    """Runs one method."""
    methods = {"cp-sat": cp_sat, "greedy": greedy, "round-robin": round_robin}
    if len(sys.argv) != 5 or sys.argv[2] not in methods:
        sys.exit("usage: peers.py FILE cp-sat|greedy|round-robin SECONDS OUTPUT")
    _, file, method, seconds, output = sys.argv
    schedule, graph, messages = read(file)
    begin = time.monotonic()
    places, bound = methods[method](graph, messages, float(seconds))
    spent = time.monotonic() - begin
    steps = write(schedule, messages, places, output)
    print(json.dumps({"steps": steps, "lower_bound": bound, "seconds": round(spent, 3)}))


if __name__ == "__main__":
    main()

"""The transfers of a schedule: it is replayed step by step, with the place of every message."""
import itertools

from . import trees
from .communicators import Grouped
from .ground import FAR, natural, need
from .routes import walk
from .sums import Sums


def check_schedule(file, model):
    """Checks every transfer against the rules of docs/model.md; returns the number of transfers."""
    replay = (Sums if model.sums else Joined if model.adds else Grouped if model.groups else Broadcast if model.broadcast else Scatter)(model)
    number, step, rounds = 0, [], model.rounds or [1] * len(file["steps"])
    need(not model.timed or len(file["steps"]) == 1, "a timed schedule is one list of transfers")
    need(sum(rounds) == len(file["steps"]), "`rounds` are not those of all steps")
    # What is received in a round is sent on in later steps.
    lasts = set(itertools.accumulate(rounds))
    for count, moved in enumerate(file["steps"], 1):
        moves = [Move(model, t, f"step {count}, transfer {i}") for i, t in enumerate(moved, 1)]
        intervals(model, moves) if model.timed else conflicts(model, moves, count)
        step += moves
        number += len(moves)
        if count in lasts:
            replay.step(step)
            step = []
    replay.end()
    return number


class Move:
    """A transfer with a sound path."""

    def __init__(self, model, record, place):
        net, message = model.net, record["message"]
        self.place, self.channels = place, record["channels"]
        self.start, self.end = net.vertex(record["from"]), net.vertex(record["to"])
        self.source, self.phase = net.vertex(message["root" if model.sums else "source"]), record.get("phase")
        extra = {"copy", "bytes"} & set(message) if model.groups else set()
        need(not model.sums or set(message) - extra == {"root", "piece"}, f"{place}: no part of a sum")
        need(("piece" in message) == (model.sums or model.pieces > 1), f"{place}: `piece`")
        self.piece = natural(message.get("piece", 0), f"{place}: `piece`")
        need(self.piece < model.pieces, f"{place}: there is no piece {self.piece}")
        need((self.phase in ("reduce", "gather")) == (model.sums and model.collective in ("all-reduce", "sum-groups")), f"{place}: the phase {self.phase!r}")
        need(model.groups or ("destination" in message) == (not model.broadcast and not model.sums), f"{place}: a `destination` is for scatters")
        self.destination = net.vertex(message["destination"]) if "destination" in message else None
        need(model.collective == "traffic" or model.groups or not {"copy", "bytes"} & set(message), f"{place}: `copy` or `bytes`")
        self.copy = natural(message.get("copy", 1), f"{place}: `copy`")
        asked = model.bytes.get((self.source, self.destination, self.copy))
        need(message.get("bytes") == asked, f"{place}: {message.get('bytes')} bytes, the message has {asked}")
        need(("at" in record) == model.timed, f"{place}: `at` is for timed schedules")
        need(not model.timed or asked is not None, f"{place}: a timed schedule is of messages with lengths")
        self.at = natural(record.get("at", 0), f"{place}: `at`")
        self.until = self.at + (asked or 0)
        need(self.channels, f"{place}: no channels")
        visited = walk(net, self.start, self.channels)
        need(visited[-1] == self.end, f"{place}: the path ends elsewhere")
        passed = model.hosts and any(net.terminal[v] for v in visited[1:-1])
        need(not passed, f"{place}: it passes a terminal, where the message must stop")
        need(not net.closed.intersection(self.channels), f"{place}: it passes a terminal that takes no part")
        if model.wormhole:
            need(net.terminal[self.start] and net.terminal[self.end], f"{place}: it ends at a switch, or at a terminal that takes no part")
        else:
            need(len(self.channels) == 1, f"{place}: more than one channel with store-and-forward")
        if model.wormhole and model.routes is None:
            # Fixed routes are compared message by message.
            within(len(self.channels), model, self.start, self.end, place)


def within(length, model, start, end, place):
    """The rule of `minimal`, `slack:S` and `any`."""
    far = model.__dict__.setdefault("far", {})
    if start not in far:
        far[start] = model.net.distances([start])
    shortest = far[start][end]
    need(shortest == FAR or length <= shortest + model.slack,
         f"{place}: {length} channels, the shortest path has {shortest}")


def conflicts(model, moves, count):
    """No link carries more than its capacity in a step, no terminal more than its ports."""
    net, load, ends = model.net, {}, {}
    if model.joins:
        moves = list({(move.start, move.end, tuple(move.channels)): move for move in reversed(moves)}.values())
    for unit in trees.split(model, moves) if model.multicast else [[move] for move in moves]:
        place = unit[0].place
        for link in (net.link[c] for c in {c for move in unit for c in move.channels}):
            load[link] = load.get(link, 0) + 1
            need(load[link] <= net.capacity[link], f"{place}: channel {link} is full")
        for end in {(move.start, "sends") for move in unit} | {(move.end, "receives") for move in unit}:
            ends[end] = ends.get(end, 0) + 1
    for (v, verb), number in ends.items():
        need(model.ports is None or not net.terminal[v] or number <= model.ports,
             f"step {count}: '{net.names[v]}' {verb} {number} messages")


def intervals(model, moves):
    """At no instant a link or a terminal's ports hold more transfers than they can; what ends makes room first."""
    net, events = model.net, {}
    for move in moves:
        # The head comes to each channel after the delays of those before it.
        after = [0, *itertools.accumulate(net.delay[c] for c in move.channels)]
        held = [((net.link[c], "link"), net.capacity[net.link[c]], late) for c, late in zip(move.channels, after)]
        ends = ((move.start, "sends", 0), (move.end, "receives", after[-1]))
        held += [((v, verb), model.ports, late) for v, verb, late in ends if model.ports]
        for what, capacity, late in held if move.until > move.at else ():
            changes = events.setdefault((what, capacity), [])
            changes.extend(((move.at + late, 1, move.place), (move.until + late, -1, move.place)))
    for ((number, what), capacity), changes in events.items():
        load = 0
        for at, change, place in sorted(changes):
            load += change
            need(load <= capacity, f"{place}: from {at} on {what} {number} is full")


class Broadcast:
    """The vertices that have the message of each source, or each piece of it."""

    def __init__(self, model):
        messages = [(s, piece) for s in model.senders for piece in range(model.pieces)]
        self.model, self.has = model, {message: {message[0]} for message in messages}
        self.sent = {message: {message[0]} for message in messages}

    def step(self, moves):
        new = set()
        for move in moves:
            message = (move.source, move.piece)
            need(message in self.has, f"{move.place}: no demand for this message")
            need(move.start in self.has[message], f"{move.place}: the message is not there yet")
            arrival = (message, move.end)
            need(move.end not in self.has[message] and arrival not in new, f"{move.place}: it is there already")
            new.add(arrival)
            self.sent[message].add(move.start)
        for message, v in new:
            self.has[message].add(v)

    def end(self):
        for message, has in self.has.items():
            name = self.model.net.names[message[0]]
            need(has.issuperset(self.model.receivers), f"'{name}' does not reach all receivers")
            useless = has - self.sent[message] - set(self.model.receivers)
            need(not (useless and self.model.wormhole and not self.model.hosts), f"'{name}' reaches others to no end")


class Joined:
    """By vertex the sums that it has, each with its contributors; those of one path in a step are one sum."""

    def __init__(self, model):
        self.model, self.all = model, set(model.senders)
        self.has = {v: [] for v in range(len(model.net.names))}
        for s in model.senders:
            self.has[s].append({s})

    def step(self, moves):
        paths, new = {}, {}
        for move in moves:
            need(move.source in self.all, f"{move.place}: no contribution of this vertex is asked for")
            paths.setdefault((move.start, move.end, tuple(move.channels)), []).append(move)
        for (start, end, _), together in paths.items():
            place, sum_ = together[0].place, {move.source for move in together}
            need(len(sum_) == len(together), f"{place}: a contribution is added twice")
            parts = [part for part in self.has[start] if part & sum_]
            need(set().union(*parts) == sum_, f"{place}: its start cannot make this sum")
            new.setdefault(end, []).append((place, sum_))
        for v, sums in new.items():
            here = set().union(*self.has[v])
            for place, sum_ in sums:
                if sum_ == self.all:
                    need(here != self.all and len(sums) == 1, f"{place}: the complete sum is not needed")
                    self.has[v] = []
                else:
                    need(not here & sum_, f"{place}: a contribution is there already")
                    here |= sum_
                self.has[v].append(sum_)

    def end(self):
        for r in self.model.receivers:
            need(set().union(*self.has[r]) == self.all, f"'{self.model.net.names[r]}' lacks contributions")


class Scatter:
    """The place of every message, and the channels that it has used."""

    def __init__(self, model):
        self.model = model
        self.at = {(s, r, copy, piece): (s, []) for s, row in model.asks.items() for r, number in row.items()
                   for copy in range(1, number // model.pieces + 1) for piece in range(model.pieces)}

    def step(self, moves):
        new = {}
        for move in moves:
            message = (move.source, move.destination, move.copy, move.piece)
            need(message in self.at, f"{move.place}: no demand for this message")
            at, used = self.at[message]
            need(message not in new, f"{move.place}: the message moves twice in one step")
            need(at == move.start and at != move.destination, f"{move.place}: the message is elsewhere")
            need(not self.model.wormhole or self.model.hosts or move.end == move.destination, f"{move.place}: it must go straight")
            new[message] = (move.end, used + move.channels)
        self.at.update(new)

    def end(self):
        model = self.model
        for (s, r, *_), (at, used) in self.at.items():
            place = f"the message of '{model.net.names[s]}' for '{model.net.names[r]}'"
            need(at == r, f"{place} does not arrive")
            if model.routes is not None:
                need(used == model.routes.get((s, r)), f"{place} leaves its route")
            else:
                within(len(used), model, s, r, place)

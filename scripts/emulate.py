#!/usr/bin/env python3
"""A network of namespaces for schedule files: what scripts/emulate.sh has to set up.

    emulate.py PREFIX MBIT QUEUE FOLDER SCHEDULE...

All SCHEDULES are of one network, and have one route for each pair of terminals, the same in all of
them. Every vertex becomes a namespace PREFIX-NAME, every link a pair of devices whose two directions
carry MBIT Mbit/s for each unit of capacity; QUEUE packets of data wait before each. The two directions
of a half-duplex link share this rate and queue, in a third device through which the packets of both go.
Packets follow the routes of the schedules: a vertex looks at source and destination. A second network,
PREFIX-mgmt, joins the hosts for the launcher alone.

FOLDER gets: `namespaces`, one a line; `links`, for ip -batch; for each namespace `NAME.ip` and
`NAME.tc`, for ip and tc -batch in it; `hosts`, the hosts of the ranks in their order; `terminals`,
the vertices of the ranks, with commas between them.
"""

import collections
import json
import pathlib
import re
import sys

# A packet waits at every hop until it is complete, so it is short against a message. Its headers are
# 2 % of it.
MTU = 3000
# Bytes that a link carries at once after a pause, so that timers of the system that come late cost no
# throughput.
BURST = 4 * MTU
# Packets below this size are acknowledgements and tokens. They overtake data, as control messages do
# on networks with virtual channels.
SMALL_MASK = "0xff00"
# All devices have one address, so that a packet to the other end of a link needs no neighbour table.
MAC = "02:00:00:00:00:01"
# Routing tables of sources start here.
FIRST_TABLE = 1000


def fail(why):
    sys.exit(f"emulate.py: {why}")


def address(number):
    return f"10.77.{(number + 1) >> 8}.{(number + 1) & 255}"


def management(number):
    return f"10.78.{(number + 1) >> 8}.{(number + 1) & 255}"


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def routes(schedule, path):
    """The channels of each pair."""
    found = {}
    records = schedule["model"].get("routes") or [t for step in schedule["steps"] for t in step]
    for record in records:
        pair = record["from"], record["to"]
        if found.setdefault(pair, record["channels"]) != record["channels"]:
            fail(f"{path}: messages from {pair[0]} to {pair[1]} take several routes; packets cannot")
    return found


def host_names(vertices):
    """Names of hosts: those of the vertices, where they can be such names."""
    is_name = re.compile("[A-Za-z][A-Za-z0-9-]{0,40}").fullmatch
    if all(is_name(vertex["name"]) for vertex in vertices):
        return [vertex["name"] for vertex in vertices]
    return [f"v{number}" for number in range(len(vertices))]


def devices(channels):
    """The device at which each channel starts, and the number of its link. A channel is joined with
    an opposite one that is still alone; without one, the other direction is for acknowledgements. The
    channels of a half-duplex link are joined."""
    link_of, ends, alone = [], [], {}
    for number, channel in enumerate(channels):
        other = channel.get("excludes", number)
        if other < number:
            link_of.append(link_of[other])
            continue
        if other > number:
            link_of.append(len(ends))
            ends.append((channel["from"], channel["to"]))
            continue
        back = alone.get((channel["to"], channel["from"]))
        if back:
            link_of.append(back.pop())
        else:
            link_of.append(len(ends))
            ends.append((channel["from"], channel["to"]))
            alone.setdefault((channel["from"], channel["to"]), []).append(link_of[-1])
    return link_of, ends


def shortest(ends, terminals):
    """The vertices and links of one shortest way for each pair."""
    around = {}
    for link, (a, b) in enumerate(ends):
        around.setdefault(a, []).append((b, link))
        around.setdefault(b, []).append((a, link))
    hops = {}
    for target in terminals:
        next_hop, queue = {target: None}, collections.deque([target])
        while queue:
            vertex = queue.popleft()
            for other, link in around.get(vertex, []):
                if other not in next_hop:
                    next_hop[other] = vertex, link
                    queue.append(other)
        for source in terminals:
            way, vertex = [], source
            while vertex != target and vertex in next_hop:
                way.append((vertex, next_hop[vertex][1]))
                vertex = next_hop[vertex][0]
            hops[source, target] = way
    return hops


def limits(device, rate, queue):
    """The commands that give a device a rate and two queues, one of them for small packets."""
    return [
        f"qdisc add dev {device} root handle 1: htb default 20",
        f"class add dev {device} parent 1: classid 1:1 htb rate {rate} "
        f"burst {BURST} cburst {BURST} quantum {MTU}",
        f"class add dev {device} parent 1:1 classid 1:10 htb rate {rate} prio 0 "
        f"burst {BURST} cburst {BURST} quantum {MTU}",
        f"class add dev {device} parent 1:1 classid 1:20 htb rate 1mbit ceil {rate} prio 1 "
        f"burst {BURST} cburst {BURST} quantum {MTU}",
        f"qdisc add dev {device} parent 1:10 pfifo limit 10000",
        f"qdisc add dev {device} parent 1:20 pfifo limit {queue}",
        f"filter add dev {device} parent 1: protocol ip prio 1 u32 match u16 0 {SMALL_MASK} at 2 "
        "flowid 1:10",
    ]


def through(device, shared):
    """The commands that send packets of both directions of a device through another one."""
    redirect = f"protocol ip prio 1 u32 match u32 0 0 action mirred egress redirect dev {shared}"
    sides = [f"filter add dev {device} {side} {redirect}" for side in ("egress", "ingress")]
    return [f"qdisc add dev {device} clsact"] + sides


def main():
    prefix, mbit, queue, folder, *paths = sys.argv[1:]
    folder = pathlib.Path(folder)
    schedules = [read(path) for path in paths]
    network = schedules[0]["network"]
    channels = network["channels"]
    names = host_names(network["vertices"])
    number_of = {vertex["name"]: number for number, vertex in enumerate(network["vertices"])}
    way = {}
    for path, schedule in zip(paths, schedules):
        if schedule["network"] != network:
            fail(f"{path} is a schedule of another network")
        for pair, route in routes(schedule, path).items():
            if way.setdefault(pair, route) != route:
                fail(f"{path}: the route from {pair[0]} to {pair[1]} is not that of the others")
    link_of, ends = devices(channels)
    space = [f"{prefix}-{name}" for name in names]
    hosts = {schedules[0]["model"][side][i] for side in ("senders", "receivers")
             for i in range(len(schedules[0]["model"][side]))}
    hosts |= {vertex for pair in way for vertex in pair}
    hosts = sorted(number_of[host] for host in hosts)

    links = []
    ip = {name: [f"rule add from {address(host)} lookup {FIRST_TABLE + host}" for host in hosts]
          for name in names}
    tc = {name: [] for name in names}
    for link, (a, b) in enumerate(ends):
        a, b = number_of[a], number_of[b]
        links.append(f"link add l{link} netns {space[a]} type veth peer name l{link} netns {space[b]}")
        for end in (a, b):
            ip[names[end]].append(
                f"link set l{link} address {MAC} arp off mtu {MTU} gso_max_segs 1 txqueuelen 1000 up")
    for number, (channel, link) in enumerate(zip(channels, link_of)):
        rate = f"{float(mbit) * channel.get('capacity', 1):g}mbit"
        here = names[number_of[channel["from"]]]
        other = channel.get("excludes", number)
        if other == number:
            tc[here] += limits(f"l{link}", rate, queue)
        elif other > number:
            ip[here] += [f"link add h{link} type ifb", f"link set h{link} txqueuelen 1000 up"]
            tc[here] += limits(f"h{link}", rate, queue) + through(f"l{link}", f"h{link}")
    for host in hosts:
        touches = [link for link, pair in enumerate(ends)
                   if host in (number_of[pair[0]], number_of[pair[1]])]
        ip[names[host]].append(f"addr add {address(host)}/16 dev l{touches[0]} noprefixroute")
        links.append(f"link add m0 netns {space[host]} type veth peer name m{host} netns {prefix}-mgmt")
        ip[names[host]] += [f"addr add {management(host)}/16 dev m0", "link set m0 up"]

    # Pairs without a route of their own have acknowledgements and what the program says beside the
    # schedule: some shortest way.
    terminals = [network["vertices"][host]["name"] for host in hosts]
    hops = shortest(ends, terminals)
    for (source, target), route in way.items():
        hops[source, target] = [(channels[c]["from"], link_of[c]) for c in route]
    for (source, target), hop in hops.items():
        source, target = number_of[source], number_of[target]
        for vertex, link in hop:
            add = f"route add {address(target)} dev l{link}"
            ip[names[number_of[vertex]]].append(f"{add} table {FIRST_TABLE + source}")
            if number_of[vertex] == source:
                # Before a connection has a source address.
                ip[names[source]].append(f"{add} src {address(source)}")

    manager = ["link add bridge type bridge", "addr add 10.78.255.254/16 dev bridge",
               "link set bridge up", "link set lo up"]
    manager += [f"link set m{host} master bridge up" for host in hosts]
    files = {"namespaces": [f"{prefix}-mgmt"] + space, "links": links, "mgmt.ip": manager,
             "mgmt.tc": [], "hosts": [f"{names[host]} slots=1" for host in hosts],
             "terminals": [",".join(network["vertices"][host]["name"] for host in hosts)]}
    for name in names:
        files[f"{name}.ip"] = ["link set lo up"] + ip[name]
        files[f"{name}.tc"] = tc[name]
    for name, lines in files.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


main()

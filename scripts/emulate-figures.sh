#!/usr/bin/env bash
# Makes the measurements of docs/replay.md: scripts/emulate.sh on allocations of the Swiss-T1 and on two
# leaf-spine networks of 8 hosts, one after the other (20 minutes). Writes docs/replay-swiss-t1.svg,
# docs/replay-leaf-spine.svg and docs/replay.csv, and prints a Markdown table. Root only; see there.
#
#   scripts/emulate-figures.sh [OPTION OF emulate.sh..]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# By nodes, then by liquid throughput. Round robin takes 1.1 to 2 times the steps of a liquid schedule.
allocations=(
    "1,0,0,0,0,2,2,1" "2,2,0,1,0,0,0,0" "2,0,2,0,0,0,1,0" "2,1,2,0,0,1,1,0"
    "1,2,1,0,0,2,1,0" "4,0,4,0,0,0,0,0" "1,1,1,1,1,1,1,1" "2,2,0,0,2,2,0,0"
    "2,0,2,0,2,0,2,0" "2,2,1,0,0,2,1,0" "0,0,1,2,1,0,2,2"
)

lab=$(mktemp -d /tmp/ccsched-figures.XXXXXX)
trap 'rm -rf "$lab"' EXIT

# Hosts, leaves and spines.
leaf_spine() { # leaves, hosts of a leaf, spines
    awk -v leaves="$1" -v hosts="$2" -v spines="$3" 'BEGIN {
        for (i = 0; i < leaves; i++) all = all sprintf("\"leaf%d\", ", i)
        for (i = 0; i < spines; i++) up = up sprintf("\"spine%d\", ", i)
        printf "name = \"leaf-spine %d x %d, %d spines\"\nlinks = \"full-duplex\"\n", leaves, hosts, spines
        printf "switches = [%s%s]\n[neighbours]\n", all, up
        for (i = 0; i < leaves; i++) {
            down = ""
            for (j = 0; j < hosts; j++) {
                printf "h%d = [\"leaf%d\"]\n", i * hosts + j, i
                down = down sprintf("\"h%d\", ", i * hosts + j)
            }
            printf "leaf%d = [%s%s]\n", i, down, up
        }
        for (i = 0; i < spines; i++) printf "spine%d = [%s]\n", i, all
    }'
}

# Emulates one network, and adds its rows to the table and the list of its figure.
measure() { # figure, name, network and options of emulate.sh and of solve
    local figure=$1 name=$2 csv
    shift 2
    csv=$lab/$figure-$name.csv
    echo "$name" >&2
    scripts/emulate.sh --out "${csv%.csv}" "$@" >&2
    echo "$name=$csv" >>"$lab/$figure"
    awk -v name="$name" 'NR > 1 {print "\"" name "\"," $0}' "$csv" >>"$lab/rows"
    [ -s "$lab/head" ] || sed -n '1s/^/network,/p' "$csv" >"$lab/head"
}

options=("$@")
for allocation in "${allocations[@]}"; do
    measure swiss-t1 "$allocation" "${options[@]}" "swiss-t1:$allocation"
done
for leaves in 2 4; do
    leaf_spine $leaves $((8 / leaves)) 2 >"$lab/net.toml"
    for routing in updown dmodk; do
        measure leaf-spine "$leaves leaves of $((8 / leaves)), $routing" "${options[@]}" \
            "$lab/net.toml" --routing $routing
    done
done
cat "$lab/head" "$lab/rows" >docs/replay.csv
mapfile -t swiss <"$lab/swiss-t1"
scripts/replay-figure.py "Swiss-T1, nodes at each switch" docs/replay-swiss-t1.svg "${swiss[@]}"
mapfile -t spines <"$lab/leaf-spine"
scripts/replay-figure.py "Leaf-spine of 8 hosts, 2 spines" docs/replay-leaf-spine.svg "${spines[@]}"

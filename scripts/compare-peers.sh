#!/usr/bin/env bash
# Times, in one run, `ccsched solve` against what others would do with the same all-to-all scatter:
# CP-SAT (OR-tools, a formulation of our own), greedy colouring of fixed shortest paths (NetworkX) and
# round robin; scripts/peers.py has all three. Every schedule is checked by `ccsched verify`. Prints a
# Markdown table: steps, seconds, and the steps of each as a multiple of those of ccsched.
#
# The Python packages go into a virtual environment below the target folder. A run of CP-SAT or ccsched
# may take SECONDS.
#
#   SECONDS=60 NETWORKS='petersen mesh:4x4' scripts/compare-peers.sh
set -euo pipefail

# bash turns SECONDS into a running clock: read the value from the environment.
limit=$(printenv SECONDS || echo 60)
root=$(dirname "${BASH_SOURCE[0]}")/..
TARGET=${CARGO_TARGET_DIR:-$root/target}
CCSCHED=${CCSCHED:-$TARGET/release/ccsched}
NETWORKS=${NETWORKS:-petersen kautz:3,2 mesh:4x4 torus:4x4 heawood levi hypercube:5 random-regular:32,4,1 mesh:8x8 random-regular:100,4,1}
# Larger networks do not fit into the formulation.
MOST_CP_SAT=${MOST_CP_SAT:-40}

fail() {
    echo "compare-peers.sh: $*" >&2
    exit 2
}

[[ "$limit" =~ ^[0-9]+$ ]] || fail "SECONDS is a whole number of seconds, not '$limit'"
[ -x "$CCSCHED" ] || fail "$CCSCHED is missing: make build first, or name the program in CCSCHED"
command -v python3 >/dev/null || fail "python3 is missing"

python=$TARGET/peers/bin/python
if ! "$python" -c 'import networkx, ortools' 2>/dev/null; then
    python3 -m venv "$TARGET/peers" || fail "python3 cannot make a virtual environment"
    "$python" -m pip install --quiet networkx ortools || fail "networkx and ortools cannot be installed"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Value of a key in a line of JSON.
value() { "$python" -c 'import json, sys; print(json.load(sys.stdin).get(sys.argv[1]))' "$1"; }

# A cell of the table: steps, seconds, and the steps relative to ccsched.
cell() {
    local line=$1 own=$2
    "$python" -c '
import json, sys
line, own = json.loads(sys.argv[1]), int(sys.argv[2])
ratio = line["steps"] / own
print("%d in %.2f s (%.2f)" % (line["steps"], line["seconds"], ratio))' "$line" "$own"
}

echo "| all-to-all scatter of | bound | ccsched | CP-SAT, $limit s | greedy colouring | round robin |"
echo "|---|---|---|---|---|---|"
for network in $NETWORKS; do
    own=$("$CCSCHED" solve -t "$network" -c aas --islands 2 --time-limit "$limit" -o "$work/own.json" --json)
    steps=$(value steps <<<"$own")
    row="| $network | $(value lower_bound <<<"$own") | $(cell "$own" "$steps")"
    terminals=$("$python" -c 'import json, sys; print(len(json.load(open(sys.argv[1]))["model"]["senders"]))' "$work/own.json")
    for method in cp-sat greedy round-robin; do
        if [ "$method" = cp-sat ] && [ "$terminals" -gt "$MOST_CP_SAT" ]; then
            row+=" | too large"
            continue
        fi
        line=$("$python" "$root/scripts/peers.py" "$work/own.json" "$method" "$limit" "$work/peer.json")
        "$CCSCHED" verify "$work/peer.json" >/dev/null || fail "$method on $network: its schedule is not valid"
        row+=" | $(cell "$line" "$steps")"
    done
    echo "$row |"
done

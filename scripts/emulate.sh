#!/usr/bin/env bash
# Measures schedules on an emulated network, on this machine alone: hosts and switches are network
# namespaces, links have a limited rate, packets take the routes of the schedules. The all-to-all of
# NETWORK is scheduled by the auto engine and by round robin over the same routes; both are replayed,
# and MPI_Alltoall beside them. Needs root and, of Debian, iproute2, python3 and Open MPI.
#
#   scripts/emulate.sh [OPTION..] NETWORK [OPTION OF ccsched solve..]
#   scripts/emulate.sh --bytes 512K swiss-t1:1,1,1,1,1,1,1,1
#   scripts/emulate.sh --rate 20 leaf-spine.toml --routing balanced
#
#   --rate MBIT      of a link of capacity 1, in Mbit/s [default: 40]
#   --bytes SIZES    lengths of messages [default: 256K]
#   --repeat N       plays that are measured [default: 7]
#   --order ORDER    when transfers begin: steps, barrier, links, dependency [default: barrier,
#                    which keeps the steps apart as the model does]
#   --queue PACKETS  that wait at most before a link, of 3000 bytes each; the others are lost
#                    [default: 10000, so that none is lost, as on networks with flow control]
#   --out PREFIX     also PREFIX.csv and the picture PREFIX-replay.svg
#   --benchmark FILE in place of replays, times of examples/collectives.c, built as FILE: as it is,
#                    with MPI's algorithms that were measured to be the fastest, with the library of
#                    ccsched deploy at every length, and with what was measured to be the fastest of
#                    all; --bytes is a list of numbers
#   --tune SECONDS   of measurements before the benchmark [default: 120]
#   --runs N         of the benchmark, in turns; the table has their medians [default: 3]
#   --collectives C  of ccsched deploy [default: alltoall,allgather,allreduce]
#   --per-node K     of the benchmark: processes on each host [default: 1]
#
# Exit status 77: namespaces cannot be made here, and the script says why.
set -euo pipefail

here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
PROGRAMS=$(realpath -m "${PROGRAMS:-${CARGO_TARGET_DIR:-$here/../target}/release}")

say() { echo "emulate: $*" >&2; }
fail() {
    say "$*"
    exit 2
}
cannot() {
    say "NOT RUN: $*"
    exit 77
}

rate=40 bytes=256K repeat=7 order=barrier queue=10000 out= benchmark= runs=3 tune=120 per_node=1
collectives=alltoall,allgather,allreduce
while [ $# -gt 0 ]; do
    case $1 in
    --rate | --bytes | --repeat | --order | --queue | --out | --benchmark | --collectives | --runs | --tune | --per-node)
        [ $# -ge 2 ] || fail "$1 needs a value"
        name=${1#--}
        declare "${name//-/_}=$2"
        shift 2
        ;;
    -h | --help)
        sed -n '2,/^set -euo/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
        exit 0
        ;;
    -*) fail "unknown option $1; --help lists them" ;;
    *) break ;;
    esac
done
[ $# -ge 1 ] || fail "which network? --help says more"
network=$1
shift
[[ $rate =~ ^[0-9]+(\.[0-9]+)?$ ]] || fail "--rate is a number of Mbit/s, not '$rate'"

[[ $queue =~ ^[1-9][0-9]*$ ]] || fail "--queue is a number of packets, not '$queue'"

[ "$(id -u)" -eq 0 ] || cannot "only root can make network namespaces"
for program in ip tc unshare python3 mpirun awk; do
    command -v $program >/dev/null || cannot "$program is missing"
done
for program in ccsched ccsched-mpi; do
    [ -x "$PROGRAMS/$program" ] ||
        fail "no $program in $PROGRAMS: make builds it, and PROGRAMS=DIR names another place"
done

lab=$(mktemp -d /tmp/ccsched-emulate.XXXXXX)
prefix=ccs$$
finish() {
    local status=$? space
    for space in $(ip netns list | awk -v p="^$prefix-" '$1 ~ p {print $1}'); do
        # Ranks and daemons that are left if the launcher was killed.
        ip netns pids "$space" | xargs -r kill -9 2>/dev/null || true
        ip netns delete "$space"
    done
    rm -rf "$lab"
    exit $status
}
trap finish EXIT
trap 'exit 130' INT TERM

ip netns add "$prefix-probe" 2>"$lab/why" || cannot "no network namespaces: $(<"$lab/why")"
ip -n "$prefix-probe" link add l0 type veth peer name l1 2>"$lab/why" || cannot "no veth: $(<"$lab/why")"
tc -n "$prefix-probe" qdisc add dev l0 root handle 1: htb 2>"$lab/why" || cannot "no htb: $(<"$lab/why")"
ip -n "$prefix-probe" rule add from 10.77.0.1 lookup 1000 2>"$lab/why" ||
    cannot "no routing by source: $(<"$lab/why")"
ip netns delete "$prefix-probe"

for engine in auto round-robin; do
    "$PROGRAMS/ccsched" solve -t "$network" -c aas --engine $engine --quiet "$@" \
        -o "$lab/$engine.json" >/dev/null || fail "$network cannot be scheduled by the engine $engine"
done
mkdir "$lab/net"
"$here/emulate.py" $prefix "$rate" "$queue" "$lab/net" "$lab/auto.json" "$lab/round-robin.json" || exit 2
if grep -q 'type ifb' "$lab"/net/*.ip; then
    ip netns add "$prefix-probe"
    ip -n "$prefix-probe" link add h0 type ifb 2>"$lab/why" ||
        cannot "no ifb, the device that half-duplex links share: $(<"$lab/why")"
    tc -n "$prefix-probe" qdisc add dev h0 clsact 2>"$lab/why" &&
        tc -n "$prefix-probe" filter add dev h0 ingress protocol ip prio 1 u32 match u32 0 0 \
            action mirred egress redirect dev h0 2>"$lab/why" ||
        cannot "no mirred, which half-duplex links need: $(<"$lab/why")"
    ip netns delete "$prefix-probe"
fi

while read -r space; do
    ip netns add "$space"
    # A sender has at most 128 KiB under way to a receiver, so that queues stay short.
    ip netns exec "$space" sh -c '
        cd /proc/sys/net/ipv4
        echo 1 >ip_forward
        echo 0 >conf/all/rp_filter
        echo 0 >conf/default/rp_filter
        echo 0 >conf/all/send_redirects
        echo 0 >conf/default/send_redirects
        echo 4096 131072 131072 >tcp_wmem
        echo reno >tcp_congestion_control
        echo 0 >tcp_slow_start_after_idle'
done <"$lab/net/namespaces"
ip -batch "$lab/net/links"
while read -r space; do
    ip -n "$space" -batch "$lab/net/${space#"$prefix"-}.ip"
    tc -n "$space" -batch "$lab/net/${space#"$prefix"-}.tc"
done <"$lab/net/namespaces"

# In place of ssh. Every rank sees the name of its host.
cat >"$lab/rsh" <<END
#!/bin/sh
host=\$1
shift
exec ip netns exec $prefix-\$host unshare --uts sh -c "hostname \$host; \$*"
END
chmod +x "$lab/rsh"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
place=(--hostfile "$lab/net/hosts" -n "$(wc -l <"$lab/net/hosts")" --map-by node)
options=(--bind-to none
    --mca plm rsh --mca plm_rsh_agent "$lab/rsh" --mca plm_rsh_no_tree_spawn 1
    --mca oob_tcp_if_include 10.78.0.0/16 --mca btl_tcp_if_include 10.77.0.0/16
    --mca btl 'self,tcp' --mca pml ob1 --mca mpi_yield_when_idle 1
    --mca btl_tcp_eager_limit 4000000 --mca btl_tcp_max_send_size 4000000)
link_rate=$(awk -v mbit="$rate" 'BEGIN {print mbit / 8}')
if [ -n "$benchmark" ]; then
    benchmark=$(realpath "$benchmark")
    several=()
    if [ "$per_node" -gt 1 ]; then
        several=(--per-node "$per_node")
        awk -v k="$per_node" '{for (i = 0; i < k; i++) print $1}' "$lab/net/hosts" >"$lab/net/ranks"
        place=(--hostfile "$lab/net/ranks" -n "$(wc -l <"$lab/net/ranks")" --map-by seq)
    fi
    terminals=$(tr ',' '\n' <"$lab/net/terminals" | awk -v k="$per_node" '{for (i = 0; i < k; i++) print}' | paste -sd,)
    # Every length, so that each is measured with and without.
    "$PROGRAMS/ccsched" deploy -t "$network" "$@" "${several[@]}" -c "$collectives" --least-bytes 1 --quiet \
        --link-rate "$link_rate" -o "$lab/job" >/dev/null || fail "$network cannot be deployed"
    make -s -C "$lab/job" all ccsched-tune || fail "the library cannot be built"
    # Not every name of a vertex can be that of a host.
    run=(ip netns exec $prefix-mgmt mpirun "${place[@]}" "${options[@]}" -x CCSCHED_HOSTS="$terminals")
    read -ra lengths <<<"${bytes//,/ }"
    "${run[@]}" "$lab/job/ccsched-tune" --seconds "$tune" "$lab/job" "${lengths[@]}" >&2 || fail "nothing was measured"
    grep -v '^#' "$lab/job/ccsched.tuned" "$lab/job/openmpi.rules" >&2
    preload=(-x CCSCHED_LOG=1 -x CCSCHED_JOB=1 -x LD_PRELOAD="$lab/job/libccsched-coll.so")
    rules=()
    [ ! -s "$lab/job/openmpi.rules" ] || rules=(--mca coll_tuned_use_dynamic_rules 1
        --mca coll_tuned_dynamic_rules_filename "$lab/job/openmpi.rules")
    for ((number = 0; number < runs; number++)); do
        for what in mpi best schedules tuned; do
            case $what in
            mpi) options=() ;;
            best) options=("${rules[@]}") ;;
            schedules) options=("${preload[@]}") ;;
            tuned) options=("${rules[@]}" "${preload[@]}" -x CCSCHED_TUNED="$lab/job/ccsched.tuned") ;;
            esac
            "${run[@]}" "${options[@]}" "$benchmark" "$repeat" "${lengths[@]}" >"$lab/times" 2>"$lab/log" ||
                { cat "$lab/log" >&2; exit 1; }
            [ "$number" -gt 0 ] || cat "$lab/log" >&2
            sed "s/^/$what /" "$lab/times" >>"$lab/all"
        done
    done
    echo "Microseconds: MPI's choice, its best algorithm, schedules at every length, what was measured to be the fastest"
    echo "collective     bytes   MPI's choice   its best     schedules        tuned  best/tuned"
    # Medians of the runs.
    sort -s -k1,1 -k2,2 -k3,3n -k4,4n "$lab/all" | awk -v runs="$runs" '
        {key = $2 " " $3; at[$1, key]++}
        at[$1, key] == int((runs + 1) / 2) {time[$1, key] = $4; keys[key]}
        END {for (key in keys) {
            split(key, of, " ")
            printf "%-10s %9d", of[1], of[2]
            tuned = time["tuned", key]
            printf " %14d %10d %13d %12d %11.2f\n", time["mpi", key], time["best", key],
                time["schedules", key], tuned, time["best", key] / tuned}}' | sort -k1,1 -k2,2n
    exit
fi
outputs=()
[ -z "$out" ] || outputs=(--csv "$out.csv" --svg "$out")
ip netns exec $prefix-mgmt mpirun "${place[@]}" "${options[@]}" "$PROGRAMS/ccsched-mpi" replay \
    "$lab/auto.json" "$lab/round-robin.json" --against alltoall --place auto --quiet \
    --bytes "$bytes" --repeat "$repeat" --order "$order" --link-rate "$link_rate" "${outputs[@]}"

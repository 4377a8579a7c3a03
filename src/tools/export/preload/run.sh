#!/bin/bash
# Starts a program on the hosts of this folder, with its collectives by the schedules of the library:
#
#   run PROGRAM ARGUMENTS
#
# LAUNCHER          mpirun, mpiexec or srun, or the path of one [the first that is there]
# LAUNCHER_OPTIONS  more words for it
# CPUS              cores of a rank, its share of the host's [SLURM_CPUS_PER_TASK, OMP_NUM_THREADS, or 1,
#                   which leaves binding to the launcher]
# CCSCHED_*         are handed on to all ranks (docs/deploy.md)
#
# First all ranks are asked whether they get the library. If not, or if it cannot be built, the program
# starts without it, and a line says why.
set -u
self=${BASH_SOURCE[0]}
[ ! -L "$self" ] || self=$(readlink -f "$self")
folder=$(cd "$(dirname "$self")" && pwd) || exit 2
library=$folder/libccsched-coll.so

say() { echo "run: $*" >&2; }

fail() {
    say "$*"
    exit 2
}

# With --plain the program starts without the library, in the same places.
plain=
[ "${1:-}" != --plain ] || { plain=yes; shift; }
case ${1:-} in
    '') fail "name the program: $0 PROGRAM ARGUMENTS" ;;
    -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$self" && exit ;;
    -*) fail "$1 is no program; options of the launcher stand in LAUNCHER_OPTIONS" ;;
esac
ranks=$(grep -c '[^[:space:]]' "$folder/hosts") || fail "$folder/hosts has no hosts"
# Open MPI cuts the name off otherwise.
[ "$ranks" -eq "$(wc -l <"$folder/hosts")" ] || fail "$folder/hosts: a line is empty, or the last one does not end"

launcher=${LAUNCHER:-}
for one in mpirun mpiexec srun; do
    [ -n "$launcher" ] || ! command -v "$one" >/dev/null || launcher=$one
done
[ -n "$launcher" ] || fail "no mpirun, mpiexec or srun is found; LAUNCHER names one"
command -v "$launcher" >/dev/null || fail "LAUNCHER=$launcher is not found"
case $(timeout 30 "$launcher" --version 2>&1 </dev/null) in
    *"Open MPI"* | *OpenRTE* | *PRRTE* | *prte*) kind=openmpi ;;
    *HYDRA* | *"Intel(R) MPI"*) kind=hydra ;;
    slurm*) kind=srun ;;
    *) fail "LAUNCHER=$launcher is neither of Open MPI, nor of MPICH, nor srun" ;;
esac
cpus=${CPUS:-${SLURM_CPUS_PER_TASK:-${OMP_NUM_THREADS:-1}}}
[ -n "${CPUS:-}" ] || cpus=${cpus%%,*} # OpenMP has a number for each level of nesting
case $cpus in
    *[!0-9]* | '' | 0* | ??????*) fail "CPUS=$cpus: must be a number of cores" ;;
esac
read -ra options <<<"${LAUNCHER_OPTIONS:-}"

# The words that put each rank on its host: `place` is set. Of several cores, a rank has its own ones.
share() {
    if [ -n "${CCSCHED_HOSTS:-}" ]; then # names alone: all ranks are where the launcher starts them
        place=(-n "$ranks")
        return
    fi
    case $kind in
        openmpi)
            place=(-n "$ranks" --hostfile "$folder/hosts" --map-by seq)
            [ "$cpus" -gt 1 ] || return
            # The file goes with this process, and the launcher that takes its place reads it.
            local slots
            slots=$(mktemp) || return
            awk -v c="$cpus" '{ a = n[$1]++ * c; printf "rank %d=%s slot=%d-%d\n", NR - 1, $1, a, a + c - 1 }' \
                "$folder/hosts" >"$slots"
            exec 9<"$slots"
            rm -f "$slots"
            place=(-n "$ranks" --rankfile /dev/fd/9)
            ;;
        hydra) place=(-n "$ranks" -f "$folder/hosts") ;;
        srun)
            export SLURM_HOSTFILE=$folder/hosts
            place=(-n "$ranks" --distribution=arbitrary)
            [ "$cpus" -eq 1 ] || place+=(--cpus-per-task="$cpus")
            ;;
    esac
}

# As `share`, with nothing said of cores: it is for hosts that have too few of them.
together() {
    cpus=1
    share
    [ "$kind" != openmpi ] || place+=(--bind-to none)
}

# The words that hand these variables on to all ranks: `handed` is set.
hand_on() {
    handed=()
    local variable all=ALL
    for variable in "$@"; do
        case $kind in
            openmpi) handed+=(-x "$variable") ;;
            hydra) handed+=(-genv "${variable%%=*}" "${variable#*=}") ;;
            # The values of --export end at a comma.
            srun) case $variable in *,*) export "${variable?}" ;; *) all+=,$variable ;; esac ;;
        esac
    done
    [ "$kind" != srun ] || handed=(--export="$all")
}

# The variables of this program that ranks get, with their values.
own() {
    local name
    # Not by a process of its own: MPICH's mpiexec, which takes the place of this script, would wait for it.
    for name in $(compgen -e CCSCHED_); do
        variables+=("$name=${!name}")
    done
}

# The MPI library's own algorithms that are best on these hosts.
rules() {
    [ "$kind" = openmpi ] && [ -s "$folder/openmpi.rules" ] || return
    options+=(--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename "$folder/openmpi.rules")
}

# What was measured is handed on, if it is of this library (with barriers or without) and not of an earlier one.
measured() {
    local hash=
    [ -z "${CCSCHED_TUNED:-}" ] && [ -e "$folder/ccsched.tuned" ] || return
    read -r _ _ hash _ <"$folder/ccsched.tuned"
    if [[ $hash =~ ^[0-9]{1,19}$ ]] && grep -qsE "ccsched_hash = ($hash|$((hash ^ 1)))LL" "$folder/ccsched_table.c"; then
        variables+=("CCSCHED_TUNED=$folder/ccsched.tuned")
    else
        say "ccsched.tuned is not of this library, and is not used: tune measures again"
    fi
}

variables=()
own
[ -n "$plain" ] || measured
hand_on "${variables[@]}"
preload=("LD_PRELOAD=$library${LD_PRELOAD:+:$LD_PRELOAD}" CCSCHED_JOB=1)
[ -n "$plain" ] || rules

# Runs a command; an interrupt ends it, and with it this script, so that no program starts.
child=
patient() {
    "$@" </dev/null >&2 &
    child=$!
    wait "$child"
}
stop() {
    trap '' INT TERM HUP
    [ -z "$child" ] || { kill "$child" && wait "$child"; } 2>/dev/null
    exit "$1"
}
trap 'stop 129' HUP
trap 'stop 130' INT
trap 'stop 143' TERM

# Whether all ranks get the library, started like the program.
asks() {
    local with
    with=("${handed[@]}")
    hand_on "${variables[@]}" "${preload[@]}"
    patient timeout -k 10 "${CCSCHED_PATIENCE:-120}" "$launcher" "${place[@]}" "${options[@]}" "${handed[@]}" \
        "$folder/ccsched-check" "$folder/hosts" && return
    handed=("${with[@]}")
    return 1
}

share
if [ -n "$plain" ]; then
    :
elif [ "${CCSCHED_CHECK:-1}" = 0 ]; then
    hand_on "${variables[@]}" "${preload[@]}"
elif [[ $folder == *[[:space:]:]* ]]; then
    say "LD_PRELOAD takes no path with a blank or a colon, as '$folder': the program starts without the library"
elif ! patient make -s -C "$folder" libccsched-coll.so ccsched-check; then
    say "the library is not built (MPICC=.. names the mpicc of your MPI): the program starts without it"
elif asks; then
    :
elif together && asks; then
    say "ranks are not bound to cores: hosts have too few of them"
else
    say "the program starts without the library"
fi
exec "$launcher" "${place[@]}" "${options[@]}" "${handed[@]}" "$@"

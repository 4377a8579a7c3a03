#!/usr/bin/env bash
# Compares island models on real MPI with the serial UMDA: RUNS seeds of `ccsched solve --engine
# umda` and of `mpirun -n P ccsched-mpi --engine hgsa` for P = 1, 2, 4, ... up to RANKS. They
# alternate, seed by seed, so that drift of the machine affects all equally; one job runs at a time.
# All summary lines go to OUTPUT; the report at the end is `ccsched compare --from OUTPUT`.
#
# A run may use SECONDS on the wall clock, whatever its number of ranks. Times with more ranks than
# cores are meaningless, so RANKS defaults to the number of cores.
#
#   TOPOLOGY=heawood COLLECTIVE=aas STEPS=10 RUNS=30 scripts/compare-islands.sh
set -euo pipefail

# bash turns SECONDS into a running clock: read the value from the environment.
limit=$(printenv SECONDS || echo 30)
root=$(dirname "${BASH_SOURCE[0]}")/..

TOPOLOGY=${TOPOLOGY:-kautz:3,2}
COLLECTIVE=${COLLECTIVE:-aas}
STEPS=${STEPS:-7}
RUNS=${RUNS:-30}
RANKS=${RANKS:-$(nproc)}
OUTPUT=${OUTPUT:-runs.jsonl}
# The engines; an empty one is omitted.
SERIAL=${SERIAL-umda}
ISLANDS=${ISLANDS-hgsa}
# The folder of the programs, and the launcher.
PROGRAMS=${PROGRAMS:-${CARGO_TARGET_DIR:-$root/target}/release}
MPIRUN=${MPIRUN:-mpirun}

# Open MPI: let root run (containers), and allow more ranks than cores. The last one is for Open MPI 5.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe

fail() {
    echo "compare-islands.sh: $*" >&2
    exit 2
}

for name in STEPS RUNS RANKS limit; do
    [[ ${!name} =~ ^[1-9][0-9]*$ ]] || fail "${name/limit/SECONDS}=${!name} is not a whole number of at least 1"
done
[ "$SERIAL" != "$ISLANDS" ] || fail "SERIAL and ISLANDS are both '$SERIAL': on one rank they are the same"
[ -x "$PROGRAMS/ccsched" ] || fail "$PROGRAMS/ccsched is missing; make builds it"
if [ -n "$ISLANDS" ]; then
    [ -x "$PROGRAMS/ccsched-mpi" ] || fail "$PROGRAMS/ccsched-mpi is missing; make builds it"
    command -v "$MPIRUN" >/dev/null || fail "$MPIRUN is missing; scripts/install-deps.sh installs one"
fi
[ ! -s "$OUTPUT" ] || fail "$OUTPUT exists; move it away or name another OUTPUT"

# One run; its summary line goes to OUTPUT. A run that finds nothing (status 1) is a result; wrong
# input, interrupts and broken jobs end the script. A launcher that cannot start a job also exits
# with 1, but then there is no line.
run() {
    local status=0 line
    line=$("$@" --topology "$TOPOLOGY" --collective "$COLLECTIVE" --steps "$STEPS" --seed "$seed" \
        --time-limit "$limit" --iterations 1000000000000 --json --quiet \
        </dev/null) || status=$?
    [ "$status" -le 1 ] || exit "$status"
    [[ $line == "{"*"}" ]] || fail "no summary line from: $*"
    echo "$line" >>"$OUTPUT"
}

for ((seed = 1; seed <= RUNS; seed++)); do
    echo "seed $seed of $RUNS" >&2
    [ -z "$SERIAL" ] || run "$PROGRAMS/ccsched" solve --engine "$SERIAL" --islands 1
    [ -n "$ISLANDS" ] || continue
    for ((ranks = 1; ranks <= RANKS; ranks *= 2)); do
        run "$MPIRUN" -n "$ranks" "$PROGRAMS/ccsched-mpi" --engine "$ISLANDS"
    done
done

"$PROGRAMS/ccsched" compare --from "$OUTPUT" --steps "$STEPS"

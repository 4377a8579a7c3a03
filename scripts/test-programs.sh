#!/usr/bin/env bash
# Runs known programs of Debian's packages with the library of `ccsched deploy` and without it, on 8 or 4 ranks of
# this machine, and compares their statuses and results. Every call with a schedule for its length gets it.
# Installs what is missing (Debian, as root); a program whose package cannot be had is skipped, and named.
#
#   scripts/test-programs.sh [NAMES]              with target/release/ccsched
#   PROGRAMS=DIR scripts/test-programs.sh [NAMES] with DIR/ccsched
#
# Exit status: 77 if nothing can run here: no Open MPI, no make, or none of the packages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

PROGRAMS=$(realpath "${PROGRAMS:-${CARGO_TARGET_DIR:-target}/release}")
# Seconds of a program.
LIMIT=${LIMIT:-300}
say() { echo "test-programs: $*"; }
fail() { say "FAILED: $*" >&2 && exit 1; }
cannot() { say "NOT RUN: $*" >&2 && exit 77; }
[ -x "$PROGRAMS/ccsched" ] || fail "$PROGRAMS/ccsched is missing; make builds it"
command -v mpicc >/dev/null && command -v make >/dev/null || cannot "mpicc or make is missing"
[[ $(mpirun --version 2>/dev/null) == *"Open MPI"* ]] || cannot "mpirun is not of Open MPI, by which Debian builds"

lab=$(mktemp -d "${TMPDIR:-/tmp}/ccsched-programs.XXXXXX")
finish() {
    local status=$?
    [ $status -eq 0 ] || [ $status -eq 77 ] || { say "outputs are in $lab" >&2 && exit $status; }
    rm -rf "$lab"
}
trap finish EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe LC_ALL=C LAUNCHER=mpirun
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# Installs packages that are missing, or says why it cannot.
updated=
installed() {
    local missing=() one
    for one in "$@"; do
        dpkg-query -W -f '${Status}' "$one" 2>/dev/null | grep -q 'ok installed' || missing+=("$one")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    command -v apt-get >/dev/null && [ "$(id -u)" -eq 0 ] || return 1
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
    [ -n "$updated" ] || updated=$("${apt[@]}" update || true)yes # Old lists may suffice.
    "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null
}

# The library for the first hosts of two leaves, all of them this machine: folder job8, or job4.
job() { # hosts
    local n
    [ ! -d "$lab/job$1" ] || return 0
    {
        echo "from to capacity"
        for ((n = 0; n < $1; n++)); do echo "leaf$((2 * n / $1)) n$n 1"; done
        printf 'leaf%d spine 2\n' 0 1
    } >"$lab/fabric.edges"
    "$PROGRAMS/ccsched" deploy -t "$lab/fabric.edges" --terminals 'n*' --least-bytes 1 --time-limit 20 \
        -c alltoall,allgather,allreduce,reduce-scatter -o "$lab/job$1" -q >"$lab/said" 2>&1 || fail "$(<"$lab/said")"
    make -s -C "$lab/job$1" >"$lab/said" 2>&1 || fail "the library cannot be built: $(<"$lab/said")"
}

# Runs a command in a folder of its own, with the library and without: NAME.with, NAME.without.
side() { # ranks, name, side, command
    local run=$lab/job$1/run name=$2 side=$3 status=0 variables
    variables=(CCSCHED_HOSTS="$(paste -sd, "$lab/job$1/hosts")")
    shift 3
    [ "$side" != with ] || variables+=(CCSCHED_LOG=summary)
    cp -r "$lab/$name" "$lab/$name.$side"
    [ "$side" = with ] && set -- "$run" "$@" || set -- "$run" --plain "$@"
    (cd "$lab/$name.$side" && timeout -k 10 "$LIMIT" env "${variables[@]}" "$@" >out 2>err </dev/null) || status=$?
    # Programs that write to a file of their own.
    cat "$lab/$name.$side"/hpccoutf.txt >>"$lab/$name.$side/out" 2>/dev/null || true
    echo "$status" >"$lab/$name.$side/status"
}

ran=0 skipped=() asked=" $* "
# A program: its packages, its ranks, what of its output is a result (times are none, nor last digits), how many
# of these it must have, and the command. `prepare_NAME`, if there is one, fills its folder.
row() {
    local name=$1 packages=$2 ranks=$3 keep=$4 least=$5 one
    shift 5
    [[ $asked == "  " || $asked == *" $name "* ]] || return 0
    # shellcheck disable=SC2086 # words
    installed $packages || { say "$name: SKIPPED: no packages $packages" && skipped+=("$name"); return 0; }
    mkdir "$lab/$name"
    ! declare -F "prepare_$name" >/dev/null || (cd "$lab/$name" && "prepare_$name") || fail "$name: cannot be prepared"
    job "$ranks"
    side "$ranks" "$name" without "$@"
    side "$ranks" "$name" with "$@"
    for one in with without; do
        grep -oE "$keep" "$lab/$name.$one/out" >"$lab/$name.$one/results" || true
    done
    local status calls bare
    status=$(<"$lab/$name.with/status") bare=$(<"$lab/$name.without/status")
    calls=$(sed -nE 's/^ccsched: all collectives .* ([0-9]+) by schedules.*/\1/p' "$lab/$name.with/err" "$lab/$name.with/out")
    say "$name: status $status, $(wc -l <"$lab/$name.with/results") lines of results, ${calls:-0} calls by schedules"
    [ "$status" -eq 0 ] && [ "$bare" -eq 0 ] ||
        fail "$name: status $status, without the library $bare: $(tail -n 5 "$lab/$name.with/err")"
    [ "$(wc -l <"$lab/$name.without/results")" -ge "$least" ] || fail "$name: its results are not found"
    diff "$lab/$name.without/results" "$lab/$name.with/results" >&2 || fail "$name: other results with the library"
    [ "${calls:-0}" -gt 0 ] || fail "$name: no call went by a schedule: $(grep ccsched: "$lab/$name.with/err" | head -n 5)"
    ran=$((ran + 1))
}

prepare_hpcc() { # matrices of 400 on a grid of 2 by 4
    sed -E '6s/^[0-9]+/400/; 8s/^[0-9]+/40/; 11s/^[0-9]+/2/; 12s/^[0-9]+/4/' \
        /usr/share/doc/hpcc/examples/_hpccinf.txt >hpccinf.txt
}

prepare_fftw() { # a cube of 64 there and back, by transposes; the energies of both sides are equal
    cat >fft.c <<'END'
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    const ptrdiff_t n = 64, all = n * n * n;
    ptrdiff_t planes, first;
    double sums[2] = {0}, worst = 0;
    int rank;
    MPI_Init(&argc, &argv), fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fftw_complex *data = fftw_alloc_complex(fftw_mpi_local_size_3d(n, n, n, MPI_COMM_WORLD, &planes, &first));
    for (ptrdiff_t i = 0; i < planes * n * n; i++)
        data[i][0] = sin(0.001 * (first * n * n + i)), data[i][1] = 0, sums[0] += data[i][0] * data[i][0];
    fftw_execute(fftw_mpi_plan_dft_3d(n, n, n, data, data, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE));
    for (ptrdiff_t i = 0; i < planes * n * n; i++)
        sums[1] += (data[i][0] * data[i][0] + data[i][1] * data[i][1]) / all;
    fftw_execute(fftw_mpi_plan_dft_3d(n, n, n, data, data, MPI_COMM_WORLD, FFTW_BACKWARD, FFTW_ESTIMATE));
    for (ptrdiff_t i = 0; i < planes * n * n; i++)
        worst = fmax(worst, fabs(data[i][0] / all - sin(0.001 * (first * n * n + i))));
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("fft %.9g %.9g %s\n", sums[0], sums[1], worst < 1e-12 ? "exact" : "wrong");
    return MPI_Finalize();
}
END
    mpicc -O2 -o fft fft.c -lfftw3_mpi -lfftw3 -lm
}

prepare_mpi4py() { # the largest eigenvalue of a matrix whose rows are on all ranks; arrays and objects
    cat >power.py <<'END'
import numpy as np
from mpi4py import MPI
comm = MPI.COMM_WORLD
rank, size, n = comm.rank, comm.size, 64
own = slice(rank * n, rank * n + n)
i, j = np.meshgrid(np.arange(n * size)[own], np.arange(n * size), indexing="ij")
rows, vector = 1.0 / (1 + np.abs(i - j)), np.ones(n * size)
for step in range(50):
    comm.Allgather(rows @ vector, part := np.empty(n * size))
    vector = part / np.sqrt(comm.allreduce(float(part[own] @ part[own])))
    comm.Alltoall(sent := np.arange(n * size) + rank, got := np.empty(n * size, int))
    assert (got == np.concatenate([np.arange(n) + rank * n + r for r in range(size)])).all()
    comm.Reduce_scatter_block(sent, sums := np.empty(n, int))
    assert (sums == size * np.arange(n * size)[own] + size * (size - 1) // 2).all()
pairs = comm.allgather((rank, comm.alltoall([(rank, r) for r in range(size)])))
assert all(got == [(r, one) for r in range(size)] for one, got in pairs)
value = comm.allreduce(float(vector[own] @ (rows @ vector)))
if rank == 0:
    print("power %.9g" % value)
END
}

prepare_lammps() { # atoms that melt
    cat >in.melt <<'END'
units lj
lattice fcc 0.8442
region box block 0 8 0 8 0 8
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
thermo_modify format float %12.4f
thermo 20
run 100
END
}

# One of ScaLAPACK's testers, whose grids have up to four processes.
tester() { # name
    eval "prepare_$1() { cp -L /usr/share/scalapack/*.dat .; }"
    row "$1" "scalapack-mpi-test" 4 '[0-9]+ tests completed and (passed|failed)|tests skipped.*' 2 \
        sh -c "exec /usr/lib/*/scalapack/openmpi-tests/$1"
}

row hpcc hpcc 8 'PASSED|FAILED|\((passed|failed)\)|^Success=.*|^CommWorldProcs=.*' 10 hpcc
row fftw "libfftw3-mpi-dev libfftw3-dev" 8 '^fft.*' 1 ./fft
row mpi4py "python3-mpi4py python3-numpy" 8 '^power.*' 1 /usr/bin/python3 power.py
row lammps lammps 8 '^ +[0-9]+( +-?[0-9.]+){5}' 6 lmp -in in.melt
for one in xdlu xdls xdinv xcnep xzhrd; do tester $one; done

[ $ran -gt 0 ] || cannot "none of the programs that are asked for can be had"
[ ${#skipped[@]} -eq 0 ] || say "SKIPPED: ${skipped[*]}"
say "$ran programs have the same results with the library"

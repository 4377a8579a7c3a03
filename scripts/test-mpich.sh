#!/usr/bin/env bash
# Builds ccsched-mpi with MPICH, in a folder of its own, and runs the MPI tests with MPICH's launcher.
# Installs MPICH if it is missing (Debian); mpicc and mpirun keep the MPI they belong to.
#
# Exit status 77: MPICH is missing and cannot be installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cannot() {
    echo "test-mpich: NOT RUN: $*" >&2
    exit 77
}
have() { command -v mpicc.mpich >/dev/null && command -v mpiexec.mpich >/dev/null; }

if ! have; then
    command -v apt-get >/dev/null || cannot "mpicc.mpich or mpiexec.mpich is missing, and there is no apt-get"
    [ "$(id -u)" -eq 0 ] || cannot "only root can install MPICH: apt-get install mpich libmpich-dev"
    apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
    before=$(readlink -f "$(command -v mpicc)" "$(command -v mpirun)" || true)
    "${apt[@]}" update || true # Old lists may suffice.
    "${apt[@]}" install -y --no-install-recommends mpich libmpich-dev || cannot "apt-get cannot install MPICH"
    hash -r
    have || cannot "MPICH is installed, but mpicc.mpich or mpiexec.mpich is missing"
    # Debian's alternatives prefer Open MPI; other systems may not.
    after=$(readlink -f "$(command -v mpicc)" "$(command -v mpirun)" || true)
    if [ -n "$before" ] && [ "$before" != "$after" ]; then
        echo "test-mpich: mpicc and mpirun have changed: $before; $after" >&2
        exit 1
    fi
fi
export MPICC=mpicc.mpich CARGO_TARGET_DIR=${MPICH_TARGET_DIR:-target-mpich} CCSCHED_MPIRUN=mpiexec.mpich
exec cargo test --locked --test mpi "$@"

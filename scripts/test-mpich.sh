#!/usr/bin/env bash
# Builds ccsched-mpi with MPICH, in a folder of its own, and runs the MPI tests with MPICH's launcher.
# Installs MPICH where it is missing (Debian); Open MPI stays the default.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! command -v mpicc.mpich mpiexec.mpich >/dev/null; then
    command -v apt-get >/dev/null || { echo "test-mpich: mpicc.mpich and mpiexec.mpich are missing" >&2; exit 1; }
    [ "$(id -u)" -eq 0 ] || { echo "test-mpich: only root can install MPICH: apt-get install mpich libmpich-dev" >&2; exit 1; }
    apt-get -q update
    DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends mpich libmpich-dev
fi
export MPICC=mpicc.mpich CARGO_TARGET_DIR=${MPICH_TARGET_DIR:-target-mpich} CCSCHED_MPIRUN=mpiexec.mpich
exec cargo test --locked --test mpi "$@"

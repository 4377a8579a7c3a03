#!/usr/bin/env bash
# Runs exported schedules in SimGrid (scripts/referee.py), which is installed if it is missing (Debian).
#
# Exit status 77: SimGrid is missing and cannot be installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cannot() {
    echo "test-simgrid: NOT RUN: $*" >&2
    exit 77
}
# The packages of Debian are for its own Python.
have() { command -v smpirun >/dev/null && /usr/bin/python3 -c 'import simgrid' >/dev/null 2>&1; }

if ! have; then
    command -v apt-get >/dev/null || cannot "smpirun or SimGrid's Python module is missing, and there is no apt-get"
    [ "$(id -u)" -eq 0 ] || cannot "only root can install SimGrid: apt-get install libsimgrid-dev python3-simgrid"
    apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
    "${apt[@]}" update || true # Old lists may suffice.
    "${apt[@]}" install -y --no-install-recommends libsimgrid-dev python3-simgrid ||
        cannot "apt-get cannot install SimGrid"
    hash -r
    have || cannot "SimGrid is installed, but smpirun or its Python module is missing"
fi
cargo build --locked --no-default-features --features cli --bin ccsched
exec /usr/bin/python3 scripts/referee.py "${CARGO_TARGET_DIR:-target}/debug/ccsched" "$@"

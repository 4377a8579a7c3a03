#!/usr/bin/env bash
# Fabrics in the InfiniBand simulator ibsim, routed by OpenSM (scripts/test-fabric.py): what ibnetdiscover
# prints and OpenSM's tables are read, routes are those of ibtracert, OpenSM loads our tables. Arguments
# are more fabrics, files as ibnetdiscover prints them.
#
# Exit status 77: the programs are missing and cannot be installed (Debian).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cannot() {
    echo "test-fabric: NOT RUN: $*" >&2
    exit 77
}
have() {
    local program
    # OpenSM is in sbin.
    PATH=$PATH:/usr/sbin
    for program in opensm ibsim ibnetdiscover ibtracert ibdmchk python3; do
        command -v $program >/dev/null || return 1
    done
}

if ! have; then
    command -v apt-get >/dev/null || cannot "opensm, ibsim, ibtracert or ibdmchk is missing, and there is no apt-get"
    [ "$(id -u)" -eq 0 ] ||
        cannot "only root can install: apt-get install opensm ibsim-utils infiniband-diags ibutils python3"
    # The package starts OpenSM as a service, which must not touch a real fabric.
    if ls /sys/class/infiniband/* >/dev/null 2>&1; then
        cannot "this machine has InfiniBand, and the package opensm would start to manage it"
    fi
    apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
    "${apt[@]}" update || true # Old lists may suffice.
    "${apt[@]}" install -y --no-install-recommends opensm ibsim-utils infiniband-diags ibutils python3 ||
        cannot "apt-get cannot install OpenSM and ibsim"
    hash -r
    have || cannot "OpenSM and ibsim are installed, but a program is missing"
fi
cargo build --locked --no-default-features --features cli --bin ccsched
exec python3 scripts/test-fabric.py "${CARGO_TARGET_DIR:-target}/debug/ccsched" "$@"

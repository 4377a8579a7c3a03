#!/bin/sh
# Writes the network of every spec in topologies/LIST as topologies/<spec>.toml, colons and commas
# as dashes. Run it after a change to a family; tests/it/network/topologies.rs fails until then.
set -eu
cd "$(dirname "$0")/.."
cargo build --quiet --no-default-features --features cli --bin ccsched
ccsched="${CARGO_TARGET_DIR:-target}/debug/ccsched"
grep -v '^#' topologies/LIST | while read -r spec; do
    file="topologies/$(echo "$spec" | tr ':,' '--').toml"
    "$ccsched" topology "$spec" --json -o "$file" >/dev/null
    echo "$file"
done

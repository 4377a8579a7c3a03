#!/usr/bin/env bash
# Writes an archive of the committed sources with all crates that they need, which builds without a
# network: target/dist/ccsched-VERSION.tar.gz.
#
#   scripts/dist.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=$(sed -n 's/^version *= *"\(.*\)"/\1/p' Cargo.toml | head -n 1)
name=ccsched-$version
out=target/dist
rm -rf "${out:?}/$name"
mkdir -p "$out/$name/.cargo"
git archive HEAD | tar -x -C "$out/$name"
(
    cd "$out/$name"
    cargo vendor --locked --quiet --versioned-dirs vendor >/dev/null
    printf '%s\n' '[source.crates-io]' 'replace-with = "vendored"' '[source.vendored]' \
        'directory = "vendor"' >.cargo/config.toml
    # All crates are found with nothing else at hand.
    CARGO_HOME=$PWD/none cargo metadata --offline --locked --format-version 1 >/dev/null
    rm -rf none
)
# The same commit gives the same archive.
tar -C "$out" --sort=name --owner=0 --group=0 --numeric-owner \
    --mtime="@$(git log -1 --format=%ct)" -cf - "$name" | gzip -n >"$out/$name.tar.gz"
rm -rf "${out:?}/$name"
ls -l "$out/$name.tar.gz"

#!/usr/bin/env bash
# Builds the Python package (python/) and runs its tests in an environment of its own.
#
# Exit status 77: Python 3.9, or the packages that build and test ours, are missing and cannot be had.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cannot() {
    echo "test-python: NOT RUN: $*" >&2
    exit 77
}
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
env=$target/python

python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))' 2>/dev/null ||
    cannot "it takes Python from 3.9 on, with venv"
[ -x "$env/bin/pytest" ] || {
    python3 -m venv "$env" || cannot "no environment can be made in $env"
    "$env/bin/pip" install -q maturin pytest || cannot "maturin and pytest cannot be installed"
    # Tests that use one of these are skipped without it.
    for package in numpy networkx matplotlib pandas scipy; do
        "$env/bin/pip" install -q --only-binary :all: "$package" || echo "test-python: without $package"
    done
}
cargo fmt --check --manifest-path python/Cargo.toml
# The library is compiled as the unit tests have it, so that only this package is new.
export CARGO_TARGET_DIR=$target CARGO_PROFILE_DEV_OPT_LEVEL=0
rm -rf "$target/wheels-of-tests"
"$env/bin/maturin" build --quiet --manifest-path python/Cargo.toml --out "$target/wheels-of-tests"
"$env/bin/pip" install -q --no-deps --force-reinstall "$target/wheels-of-tests/"ccsched-*.whl
exec "$env/bin/pytest" -q python/tests "$@"

#!/usr/bin/env bash
# Installs the system packages that the build needs, if they are missing.
# Rust itself is only checked: its installation is the user's choice.
#
#   scripts/install-deps.sh           install missing packages
#   scripts/install-deps.sh --check   only report
#
# Exit status: 0 nothing is missing, 1 something is missing, 2 wrong usage or an unknown system.
set -euo pipefail
shopt -s nullglob

usage="usage: scripts/install-deps.sh [--check]"
check_only=no
case "$#:${1-}" in
    0:) ;;
    1:--check) check_only=yes ;;
    1:-h | 1:--help) echo "$usage"; exit 0 ;;
    *) echo "install-deps: unknown arguments: $*; $usage" >&2; exit 2 ;;
esac

say() { echo "install-deps: $*"; }
fail() { echo "install-deps: $*" >&2; exit "${status:-1}"; }
have() { command -v "$1" >/dev/null 2>&1; }
includes() { "$1" -E -x c - >/dev/null 2>&1 <<<"#include <$2>"; }

# bindgen loads libclang at build time, and libclang needs its own headers (stddef.h) to read mpi.h.
# A libclang named by the user is assumed to be complete.
have_libclang() {
    local libraries headers
    if [[ -n "${LIBCLANG_PATH:-}" ]]; then
        libraries=("$LIBCLANG_PATH"/libclang{.so*,-[0-9]*.so*,.dylib*})
        [[ -f "$LIBCLANG_PATH" || ${#libraries[@]} -gt 0 ]]
        return
    fi
    local roots=(/usr/lib/llvm-* /usr /usr/local /opt/homebrew/opt/llvm /usr/local/opt/llvm
        /Library/Developer/CommandLineTools/usr
        /Applications/Xcode.app/Contents/Developer/Toolchains/XcodeDefault.xctoolchain/usr)
    local libs=("${roots[@]/%//lib}" "${roots[@]/%//lib64}" /usr/lib/*-linux-gnu)
    libraries=() headers=()
    for lib in "${libs[@]}"; do
        libraries+=("$lib"/libclang{.so*,-[0-9]*.so*,.dylib*})
        headers+=("$lib"/clang/*/include/stddef.h)
    done
    [[ ${#libraries[@]} -gt 0 && ${#headers[@]} -gt 0 ]]
}

# Missing packages: one line of reason each, and the names on Debian, Fedora and macOS.
debian=() fedora=() brew=() missing=()
need() { # reason, Debian packages, Fedora packages, Homebrew packages ("-": part of Apple's tools)
    missing+=("$1")
    debian+=("$2") fedora+=("$3") brew+=("$4")
}

look() {
    missing=() debian=() fedora=() brew=()
    have make || need "make: runs the Makefile" make make -
    have gcc || need "gcc: links Rust programs, and mpicc calls it" gcc gcc -
    if ! have gcc || ! includes gcc stdio.h; then
        need "C headers: mpi.h includes them" libc6-dev glibc-devel -
    fi
    if ! have mpicc || { have gcc && ! includes mpicc mpi.h; }; then
        need "mpicc and mpi.h: the MPI library that ccsched-mpi is built with" \
            libopenmpi-dev openmpi-devel open-mpi
    fi
    have mpirun || need "mpirun: starts ccsched-mpi on many ranks" openmpi-bin openmpi open-mpi
    have_libclang || need "libclang: the build reads mpi.h with it" libclang-dev clang-devel llvm
}

report() {
    local reason
    for reason in "${missing[@]}"; do say "missing: $reason" >&2; done
}

as_root() {
    if [[ "$(id -u)" -eq 0 ]]; then
        "$@"
    elif have sudo; then
        sudo "$@"
    else
        fail "not root and no sudo; run this as root: $*"
    fi
}

install_debian() {
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
    say "installing with apt-get: ${debian[*]}"
    # A dead third-party source must not stop the script; if it matters, the installation below fails.
    as_root "${apt[@]}" update || say "apt-get update failed; trying with the lists at hand"
    as_root "${apt[@]}" install -y --no-install-recommends "${debian[@]}"
}

install_fedora() { # untested
    say "installing with dnf: ${fedora[*]}"
    as_root dnf install -y "${fedora[@]}"
}

install_macos() { # untested
    local wanted=() package
    for package in "${brew[@]}"; do
        [[ "$package" = - ]] || wanted+=("$package")
    done
    [[ ${#wanted[@]} -eq ${#brew[@]} ]] ||
        fail "make and the C compiler come with Apple's tools: run 'xcode-select --install', then this again"
    say "installing with brew: ${wanted[*]}"
    brew install "${wanted[@]}"
}

install_missing() {
    if have apt-get; then
        install_debian
    elif have dnf; then
        install_fedora
    elif [[ "$(uname -s)" = Darwin ]] && have brew; then
        install_macos
    else
        status=2 fail "unknown system (no apt-get, dnf or brew); install by hand: a C compiler called gcc with" \
            "its headers, make, an MPI library with mpicc and mpirun (Open MPI or MPICH), and libclang"
    fi
}

# Fedora keeps MPI libraries off the PATH until a module is loaded; installing again would not help.
check_module() {
    if ! have mpicc && [[ -x /usr/lib64/openmpi/bin/mpicc ]]; then
        fail "Open MPI is installed but not on the PATH: run 'module load mpi/openmpi-x86_64', then this again"
    fi
}

check_rust() {
    local manifest wanted found
    manifest="$(dirname "${BASH_SOURCE[0]}")/../Cargo.toml"
    wanted=$(sed -n 's/^rust-version *= *"\(.*\)"/\1/p' "$manifest")
    [[ -n "$wanted" ]] || fail "$manifest has no line rust-version = \"...\""
    have cargo || fail "missing: cargo; install Rust $wanted or newer, for example from https://rustup.rs"
    found=$(cargo --version | sed 's/^cargo \([0-9.]*\).*/\1/')
    [[ "$(printf '%s\n' "$wanted" "$found" | sort -V | head -n 1)" = "$wanted" ]] ||
        fail "cargo is $found, but Rust $wanted or newer is needed; 'rustup update stable' brings it"
}

look
if [[ ${#missing[@]} -gt 0 ]]; then
    report
    check_module
    if [[ $check_only = yes ]]; then
        fail "scripts/install-deps.sh installs what is missing; without MPI and libclang," \
            "'cargo build --release --locked --no-default-features --features cli' builds ccsched alone"
    fi
    install_missing
    hash -r
    look
    if [[ ${#missing[@]} -gt 0 ]]; then
        report
        check_module
        fail "still missing after the installation (see above)"
    fi
fi
check_rust
[[ $check_only = no ]] || say "all is there"

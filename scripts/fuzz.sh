#!/usr/bin/env bash
# Fuzzes every reader of files and words, each for some seconds: SECONDS_EACH (30), TARGETS (all).
# Stable Rust suffices: the compiler's own passes count the branches that an input takes. An input
# that panics, overflows, takes longer than 2 s or more than 512 MB is kept, and the status is not 0.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

SECONDS_EACH=${SECONDS_EACH:-30}
TARGETS=${TARGETS:-network schedule checkpoint pairs groups permutation compare results trace spec hostlist}
TARGET_DIR=${CARGO_TARGET_DIR:-target}/fuzz
HOST=$(rustc -vV | sed -n 's/^host: //p')
# Set for the fuzz target alone: with --target, build scripts are built without it.
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares"

cargo build --release --locked --manifest-path fuzz/Cargo.toml --target "$HOST" --target-dir "$TARGET_DIR"
program=$TARGET_DIR/$HOST/release/ccsched-fuzz

status=0
for target in $TARGETS; do
    corpus=$TARGET_DIR/corpus/$target
    mkdir -p "$corpus" "$TARGET_DIR/found"
    seeds=(fuzz/seeds/"$target")
    case $target in
        network) seeds=(topologies) ;;
    esac
    echo "fuzz: $target for $SECONDS_EACH s"
    log=$TARGET_DIR/$target.log
    if ! TARGET=$target "$program" -max_total_time="$SECONDS_EACH" -timeout=2 -rss_limit_mb=512 -max_len=4096 \
        -print_final_stats=1 -artifact_prefix="$TARGET_DIR/found/$target-" "$corpus" "${seeds[@]}" >"$log" 2>&1; then
        status=1
        echo "fuzz: $target has FAILED; its log:"
        tail -n 40 "$log"
    fi
    grep -E '^stat::(number_of_executed_units|slowest_unit_time_sec|peak_rss_mb)' "$log" || true
done
rm -f /dev/shm/ccsched-fuzz-*
exit $status

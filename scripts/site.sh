#!/usr/bin/env bash
# Builds the site, an mdBook of README and docs/, with five schedules to play, and checks its links.
#
#   scripts/site.sh --program target/release/ccsched [--out DIR]
#
# Needs mdbook (cargo install mdbook --locked) and python3. Exit status: 0 built and whole, 77 not
# run because a program is missing, any other: a failure.
set -euo pipefail
usage="usage: scripts/site.sh --program CCSCHED [--out DIR]"
program= out=target/site
while [[ $# -gt 0 ]]; do
    case "$1" in
        --program) program=$2 && shift 2 ;;
        --out) out=$2 && shift 2 ;;
        -h | --help) echo "$usage" && exit ;;
        *) echo "site: unknown argument: $1; $usage" >&2 && exit 2 ;;
    esac
done
[[ -n "$program" ]] || { echo "site: $usage" >&2 && exit 2; }
program=$(realpath "$program")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
for tool in mdbook python3; do
    command -v "$tool" >/dev/null || { echo "site: not run, because $tool is missing" >&2 && exit 77; }
done

# The pages keep their places, so that links between them stay; the contents name them from the root.
rm -rf "$out"
mkdir -p "$out/src/docs/players" "$out/src/python" "$out/src/fuzz"
cp docs/book.toml "$out/"
cp ./*.md LICENSE* "$out/src/"
cp docs/*.md docs/*.svg docs/*.csv "$out/src/docs/"
cp -r examples topologies scripts "$out/src/"
cp python/README.md "$out/src/python/"
cp fuzz/README.md "$out/src/fuzz/"
[[ ! -d python/examples ]] || cp -r python/examples "$out/src/python/"
sed -e 's#](\([^./][^)]*\))#](docs/\1)#' -e 's#](\.\./#](#' docs/SUMMARY.md >"$out/src/SUMMARY.md"
rm "$out/src/docs/SUMMARY.md"

play() { # name, options of solve
    local name=$1
    shift
    "$program" solve -q -o "$out/$name.json" "$@" >/dev/null
    "$program" show "$out/$name.json" --html "$out/src/docs/players/$name.html"
    rm "$out/$name.json"
}
play petersen -t petersen -c alltoall
play kautz -t kautz:3,2 -c allgather
play mesh -t mesh:8x8 -c broadcast --source 33 --switching sf --fail-link 33-34
play fat-tree -t fat-tree:8 -c alltoall
play dgx1 -t dgx1 -c allreduce --switching sf --iterations 300

mdbook build "$out"
# mdBook turns README.md into index.html, but links to it into README.html.
find "$out/book" -name index.html | while read -r page; do cp "$page" "${page%index.html}README.html"; done
scripts/check-links.py "$out/book"

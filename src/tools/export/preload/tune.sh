#!/bin/bash
# Measures on the hosts of this folder which schedules and which algorithms of the MPI library are the
# fastest, by length of call; `run` then uses what won:
#
#   tune [LENGTHS]      such as 1K 16K 256K; 1K, 2K, .. 4M by default
#
# SECONDS_FOR_ALL is the time for all measurements [60]. LAUNCHER, LAUNCHER_OPTIONS and CPUS are as for `run`.
set -u
self=${BASH_SOURCE[0]}
[ ! -L "$self" ] || self=$(readlink -f "$self")
folder=$(cd "$(dirname "$self")" && pwd) || exit 2
seconds=${SECONDS_FOR_ALL:-60}

fail() {
    echo "tune: $*" >&2
    exit 2
}

case ${1:-} in
    -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$self" && exit ;;
esac
case $seconds in
    *[!0-9]* | 0* | ???????*) fail "SECONDS_FOR_ALL=$seconds: must be a number of seconds" ;;
esac
[ -w "$folder" ] || fail "$folder cannot be written, where the results are kept"
make -s -C "$folder" ccsched-tune >&2 || fail "ccsched-tune is not built (MPICC=.. names the mpicc of your MPI)"
# Wrong lengths are told here, once, before ranks start.
"$folder/ccsched-tune" --look "$folder" "$@"
[ $? -ne 2 ] || exit 2
exec "$folder/run" --plain "$folder/ccsched-tune" --seconds "$seconds" "$folder" "$@"

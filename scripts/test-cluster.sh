#!/usr/bin/env bash
# Tests the batch script under a real Slurm: a private controller and one node, both on this machine.
# Installs Slurm if it is missing (Debian), and stops all processes that it started.
#
#   scripts/test-cluster.sh              with target/release/ccsched-mpi
#   PROGRAMS=DIR scripts/test-cluster.sh with DIR/ccsched-mpi and DIR/ccsched
#
# Exit status 77: Slurm cannot be installed or started here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

PROGRAMS=$(realpath "${PROGRAMS:-${CARGO_TARGET_DIR:-target}/release}")
packages=(slurm-wlm slurmctld slurmd slurm-client munge slurm-wlm-basic-plugins libpmix2 libpmi2-0)

say() { echo "test-cluster: $*"; }
fail() {
    echo "test-cluster: FAILED: $*" >&2
    exit 1
}

ran=yes
cannot() {
    echo "test-cluster: NOT RUN: $*" >&2
    ran=no
    exit 77
}
have() { local p; for p in "$@"; do command -v "$p" >/dev/null || return 1; done; }

[ "$(id -u)" -eq 0 ] || cannot "only root can run a private Slurm"
[ -x "$PROGRAMS/ccsched-mpi" ] || fail "$PROGRAMS/ccsched-mpi is missing; make builds it"
if ! have slurmctld slurmd munged sbatch srun; then
    have apt-get || cannot "Slurm is missing: ${packages[*]}"
    say "installing Slurm"
    apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
    "${apt[@]}" update >/dev/null || true # Old lists may suffice.
    "${apt[@]}" install -y --no-install-recommends "${packages[@]}" >/dev/null ||
        cannot "apt-get cannot install Slurm"
fi

lab=$(mktemp -d /tmp/ccsched-slurm.XXXXXX)
script=$PWD/scripts/ccsched.sbatch
export SLURM_CONF=$lab/slurm.conf OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Open MPI waits twice this long before it ends a job with a status other than 0.
export OMPI_MCA_odls_base_sigkill_timeout=3
export OMPI_MCA_rmaps_base_oversubscribe=1 PROGRAM=$PROGRAMS/ccsched-mpi EVERY=1s

# Ends a process started by this script, by its pid file.
end() {
    local pid
    [ -s "$1" ] || return 0
    pid=$(<"$1")
    kill "$pid" 2>/dev/null || return 0
    for ((i = 0; i < 100; i++)); do
        kill -0 "$pid" 2>/dev/null || return 0
        sleep 0.1
    done
    kill -9 "$pid" 2>/dev/null || true
}

finish() {
    local status=$?
    squeue -h -o %A 2>/dev/null | xargs -r scancel 2>/dev/null || true
    end "$lab/slurmd.pid"
    end "$lab/slurmctld.pid"
    end "$lab/munged.pid"
    if [ $status -eq 0 ]; then
        rm -rf "$lab"
        [ $ran = no ] || say "all is well"
    else
        say "logs are in $lab" >&2
    fi
}
trap finish EXIT

mkdir "$lab/state" "$lab/spool" "$lab/log" "$lab/jobs"
chmod 755 "$lab"
dd if=/dev/urandom of="$lab/munge.key" bs=1024 count=1 status=none
chmod 400 "$lab/munge.key"
cat >"$SLURM_CONF" <<END
ClusterName=lab
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CryptoType=crypto/munge
AuthInfo=socket=$lab/munge.socket
SlurmctldPort=${CONTROLLER_PORT:-16817}
SlurmdPort=${NODE_PORT:-16818}
StateSaveLocation=$lab/state
SlurmdSpoolDir=$lab/spool
SlurmctldPidFile=$lab/slurmctld.pid
SlurmdPidFile=$lab/slurmd.pid
SlurmctldLogFile=$lab/log/slurmctld.log
SlurmdLogFile=$lab/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
SlurmctldTimeout=30
SlurmdTimeout=30
KillWait=10
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0,defer_batch
SlurmdParameters=config_overrides
NodeName=localhost NodeAddr=127.0.0.1 CPUs=8 Boards=1 SocketsPerBoard=1 CoresPerSocket=8 ThreadsPerCore=1 RealMemory=4000 State=UNKNOWN
PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
END

munged --force --key-file="$lab/munge.key" --socket="$lab/munge.socket" --pid-file="$lab/munged.pid" \
    --log-file="$lab/log/munged.log" --seed-file="$lab/munge.seed" || cannot "munged does not start here"
slurmctld -c || cannot "slurmctld does not start here"
slurmd -N localhost || cannot "slurmd does not start here"
for ((i = 0; ; i++)); do
    [ "$(sinfo -h -o %t 2>/dev/null)" != idle ] || break
    [ $i -lt 300 ] || cannot "Slurm's node does not become idle here: $(tail -n 3 "$lab"/log/*.log)"
    sleep 0.1
done
say "a private Slurm runs"
cd "$lab/jobs"

submit() { sbatch --parsable --ntasks=2 --output="$lab/jobs/%x-%A-%a.log" "$@"; }

# Waits for the end of a job; prints its state and exit status.
ended() {
    local info
    for ((i = 0; ; i++)); do
        [ -n "$(squeue -h -j "$1" 2>/dev/null)" ] || break
        [ $i -lt 900 ] || fail "job $1 does not end"
        sleep 0.1
    done
    info=$(scontrol show job "$1")
    [[ $info =~ JobState=([A-Z]+) ]] && echo -n "${BASH_REMATCH[1]} "
    [[ $info =~ ExitCode=([0-9]+) ]] && echo "${BASH_REMATCH[1]}"
}

expect() { # what, expected, found
    [ "$2" = "$3" ] || fail "$1: expected '$2', but it is '$3'; $(tail -n 5 "$lab"/jobs/*.log)"
    say "$1: $3"
}

exists() {
    for ((i = 0; ; i++)); do
        [ ! -s "$1" ] || return 0
        [ $i -lt 600 ] || fail "$1 does not appear"
        sleep 0.1
    done
}

valid() { "$PROGRAMS/ccsched" verify "$1" >/dev/null || fail "$1 is not a valid schedule"; }

# A search that finds a schedule of 9 steps at once and never ends: 8 steps, its bound, are impossible
# (docs/proofs.md), which this engine does not find out.
sought=(-t octagon,half -c aas --ports 1 --fail-node 1 --engine hgsa)
endless=("${sought[@]}" --iterations 1000000000000)
# Its options make the checksum in the names of its files; the number of iterations does not.
of=octagon-half-aas-$(printf '%s\n' octagon,half aas "${sought[@]:4}" | cksum | cut -d ' ' -f 1)

# The interrupted job resumes, and ends at once if its iterations are done.
resumes() {
    local job
    job=$(submit "$script" "${sought[@]}" --iterations 100)
    expect "$1, resumed" "COMPLETED 0" "$(ended "$job")"
    grep -q "resuming from" "$lab"/jobs/*-"$job"-*.log || fail "$1: the job has not resumed"
    valid $of.json
    rm $of.*
}

job=$(submit "$script" -t hypercube:3 -c aab)
expect finished "COMPLETED 0" "$(ended "$job")"
valid hypercube-3-aab.json

job=$(LAUNCHER=srun submit "$script" -t hypercube:3 -c oas)
expect "started by srun" "COMPLETED 0" "$(ended "$job")"
valid hypercube-3-oas.json

# Slurm's signal comes 55 seconds before the end of a minute.
job=$(MARGIN=0s submit --time=1 --signal=B:USR1@55 "$script" "${endless[@]}")
expect "time is up" "FAILED 3" "$(ended "$job")"
resumes "time is up"

job=$(submit "$script" "${endless[@]}")
exists $of.checkpoint
scancel "$job"
expect cancelled CANCELLED "$(ended "$job" | cut -d' ' -f1)"
resumes cancelled

job=$(submit "$script" "${endless[@]}")
exists $of.checkpoint
# The launcher is the child of this job's step daemon, the ranks are its children.
rank=$(pgrep -n -f "^$PROGRAM ${sought[*]}")
kill -9 "$rank"
expect "a rank killed" FAILED "$(ended "$job" | cut -d' ' -f1)"
resumes "a rank killed"

printf '%s\n' "-t kautz:2,2 -c aas" "-t kautz:2,2 -c aas --fail-link 01-12" "-t nonsense:1 -c aas" >list.txt
job=$(JOBS=list.txt submit --array=1-3 "$script")
ended "$job" >/dev/null
expect "array, line 1" "COMPLETED 0" "$(ended "${job}_1")"
expect "array, line 2" "COMPLETED 0" "$(ended "${job}_2")"
expect "array, line 3 is wrong" "FAILED 2" "$(ended "${job}_3")"
valid list-1-*.json
valid list-2-*.json

# Jobs that deploy. The node is in a fabric file; the default file of Slurm is not there, so that a job
# without one starts its program without the library.
if ! have mpicc make; then
    say "NOT RUN: jobs that deploy, without mpicc and make"
    exit
fi
deploys=$(realpath "$OLDPWD/scripts/ccsched-deploy.sbatch")
mpicc -O2 -o collectives "$OLDPWD/examples/collectives.c"
printf 'leaf %s\nleaf another\n' "$(hostname)" >fabric.edges
export CCSCHED=$PROGRAMS/ccsched TUNE=6 OPTIONS="--terminals $(hostname),another --least-bytes 1" BYTES=1K..64K
export CCSCHED_LOG=1 FOLDERS=$lab/jobs/folders
# In this Slurm the node is called otherwise than its host, by which schedules name it.
sed 's/^list=.*/list=$(hostname)/' "$deploys" >deploy.sbatch

deployed() { # what, tasks, what the log says, options
    local job what=$1 tasks=$2 said=$3
    shift 3
    job=$(sbatch --parsable --nodes=1 --ntasks-per-node="$tasks" --output="$lab/jobs/%x-%j.log" "$@" deploy.sbatch \
        ./collectives 1 4096)
    expect "$what" "COMPLETED 0" "$(ended "$job")"
    [ "$(grep -c '^all' "$lab"/jobs/*-"$job".log)" -ge 2 ] || fail "$what: the program has not run"
    grep -q "$said" "$lab"/jobs/*-"$job".log || fail "$what: '$said' is not in $(cat "$lab"/jobs/*-"$job".log)"
}

export FABRIC=$lab/jobs/fabric.edges
deployed "four tasks" 4 "MPI_Alltoall: "
grep -q "ranges of lengths for schedules" "$lab"/jobs/ccsched-deploy-*.log || fail "nothing was measured"
deployed "four tasks once more" 4 "of an earlier job on these nodes"
host=$(hostname)
LAUNCHER=srun CCSCHED_HOSTS=$host,$host,$host,$host deployed "started by srun" 4 "MPI_Alltoall: "
deployed "one task" 1 "the program starts without the library"
deployed "no fabric" 4 "the program starts without the library" --export=ALL,FABRIC=/none

# A job that is put back into the queue begins again, and takes the folder that is there.
job=$(sbatch --parsable --requeue --open-mode=append --nodes=1 --ntasks-per-node=4 --output="$lab/jobs/requeued.log" \
    deploy.sbatch bash -c 'sleep 4 && exec ./collectives 1 4096')
exists "$lab/jobs/requeued.log"
sleep 2
scontrol requeue "$job"
# Slurm waits two minutes before it starts such a job.
for ((i = 0; i < 100; i++)); do
    [ "$(squeue -h -j "$job" -o %T)" != PENDING ] || break
    sleep 0.1
done
scontrol update jobid="$job" starttime=now
expect "put back into the queue" "COMPLETED 0" "$(ended "$job")"
[ "$(grep -c "of an earlier job on these nodes" requeued.log)" -eq 2 ] || fail "the job has not begun twice"

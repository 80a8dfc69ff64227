#!/usr/bin/env bash
# Submits cluster/slurm.sbatch to a Slurm of its own, of one node and for as long as this takes, takes the job's processes
# away by a notice while they learn, and sees that the job goes on and ends with the parameters of a run in one process.
#
#   bash scripts/try_slurm.sh [BUILD]           default build/release
#
# Needs Debian's slurm-wlm (scripts/setup.sh --tests). A Slurm of this machine is neither asked nor touched: own munge,
# ports, configuration and folder, which goes at the end.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$dipaco_root"

PATH=$PATH:/usr/sbin
for tool in munged slurmctld slurmd sbatch; do
  command -v $tool >/dev/null || fail "there is no $tool: scripts/setup.sh --tests installs it"
done
export DIPACO_BIN
DIPACO_BIN=$(realpath "${1:-build/release}/bin")
run=$dipaco_root/scenarios/runs/tiny.cfg
folder=$(mktemp -d)
chmod 755 "$folder"  # munge asks for it
export SLURM_CONF=$folder/slurm.conf
daemons=() job=''

ended() { [[ -z $(timeout 5 squeue --noheader --jobs "$1" 2>/dev/null) ]]; }

clean_up() {
  local status=$? daemon
  if [[ -n $job ]]; then
    timeout 5 scancel "$job" || true
    for _ in {1..100}; do ! ended "$job" || break; sleep 0.1; done
  fi
  for daemon in "${daemons[@]}"; do kill "$daemon" || true; done
  wait
  [[ $status == 0 ]] || tail -n 40 "$folder"/*.log >&2 || true
  rm -rf "$folder"
}
trap clean_up EXIT

free_port() {
  local port
  while port=$((20000 + RANDOM % 20000)); (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
  echo "$port"
}

configure() {
  local user port
  user=$(id -un)
  port=$(free_port)
  (umask 077 && head -c 128 /dev/urandom >"$folder/munge.key")
  mkdir "$folder/state" "$folder/spool"
  cat >"$SLURM_CONF" <<END
ClusterName=try
SlurmctldHost=localhost
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
# --role auto makes a port of it: nobody else's here.
FirstJobId=$port
SlurmUser=$user
SlurmdUser=$user
# A job that is queued again waits for as long as its credentials hold.
AuthInfo=socket=$folder/munge.socket,cred_expire=5
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
# No control groups, no accounting: a container may have neither.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SlurmdParameters=config_overrides
NodeName=localhost CPUs=16
PartitionName=all Nodes=localhost Default=YES
END
}

# Keeps a daemon in the foreground, for its number.
daemon() {
  local name=$1
  shift
  "$@" >"$folder/$name.log" 2>&1 &
  daemons=($! "${daemons[@]}")
}

# COMMAND... until it is true, at most so many seconds.
wait_for() { # SECONDS WHAT COMMAND...
  local until=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    ((SECONDS < until)) || fail "$what: not in time"
    sleep 0.2
  done
}

start_slurm() {
  configure
  daemon munged munged --foreground --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
    --pid-file="$folder/munged.pid" --seed-file="$folder/munge.seed"
  wait_for 10 "munge answers" test -S "$folder/munge.socket"
  daemon slurmctld slurmctld -D
  daemon slurmd slurmd -D -N localhost
  wait_for 20 "Slurm has a node" node_is_idle
}

node_is_idle() { [[ $(timeout 5 sinfo --noheader --format=%T 2>/dev/null) == idle ]]; }
field() { timeout 5 scontrol show job "$job" | grep -oP "\b$1=\K\S+"; }
says() { grep -qs "$1" "$folder/job-$job.log"; }
hash_in() { grep -oP '"parameters_hash": "\K[^"]+' "$1"; }

start_slurm
cd "$folder"
changes=(--set outer.steps=40 --set liveness.limit=3s --set liveness.period=1s)
job=$(timeout 10 sbatch --parsable --output="$folder/job-%j.log" "$dipaco_root/cluster/slurm.sbatch" "$run" "${changes[@]}")
wait_for 60 "four workers take part" says 'node 6 .* takes part'
sleep 1  # in the middle of a task, mostly
timeout 10 scancel --signal=TERM "$job"
wait_for 30 "the job is queued again" says 'the same command goes on'
wait_for 90 "the job ends" ended "$job"
[[ $(field JobState) == COMPLETED && $(field Restarts) == 1 ]] ||
  fail "the job ended as $(field JobState) after $(field Restarts) new starts"
"$DIPACO_BIN/dipaco-run" --backend loopback --run "$run" --out "$folder/loopback" --progress off "${changes[@]}" >/dev/null
ours=$(hash_in "$folder/out/slurm-$job/summary.json") theirs=$(hash_in "$folder/loopback/summary.json")
[[ $ours == "$theirs" ]] || fail "a job of Slurm ended with the parameters $ours, one process with $theirs"
say "one notice, $(field Restarts) new start, the parameters of one process ($ours), in $SECONDS s"

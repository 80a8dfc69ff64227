#!/usr/bin/env bash
# Runs a small run file with dipaco-run, every role a process of this machine, while processes are killed, told to end and
# frozen at random moments and started again; run after run until the time is over. The last one is left in peace. With
# root, iproute2 and nftables the processes have a network namespace of their own: there its line is thin for a while,
# too, and a connection stalls, whose packets are dropped from then on. Schedule and backup tasks are drawn for each run.
# Each has to end with the parameters and the model of a run in one process that nobody disturbed. Prints a line a minute
# and one at the end. Fails after two minutes without progress, at a process that ends as it should not or does not end
# when it is told to, and at other parameters; what the processes wrote stays then, and is named. Time in which the
# processes want a processor and other programs of the machine have it does not count as time without progress.
#
#   bash scripts/soak.sh [MINUTES [SEED]]       default 60 minutes, seed 1
set -Eeuo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=scripts/processor_time.sh
source "$dipaco_root/scripts/processor_time.sh"
cd "$dipaco_root"

minutes=${1:-60}
RANDOM=${2:-1}
[[ $minutes =~ ^[0-9]+$ && ${2:-1} =~ ^[0-9]+$ ]] || fail "MINUTES and SEED are whole numbers"
outer_steps=100
program=build/release/bin/dipaco-run
run_file=(--run scenarios/runs/tiny.cfg --set "outer.steps=$outer_steps" --set evaluate.every=25 --set evaluate.early_stopping=on
  --set data.holdout_fraction=0.02 --set evaluate.dense_equal_steps=off --set "routing.reshard_at=$((outer_steps / 2))" --threads 1 --progress off)
liveness=(--set liveness.period=0.5s --set liveness.limit=3s --set liveness.deadline=10min)
names=(coordinator store-a store-b executor-a executor-b worker-a worker-b worker-c worker-d evaluator)

# Milliseconds.
declare -r limit=3000 patience=120000 to_end=60000
declare -A pid state due told count
drawn=()       # settings of the run
space='' at=() # the namespace, and what runs a command there
PATH=$PATH:/usr/sbin
scratch=$(mktemp -d)
runs=0 steps=0 port=0 metrics=0 now=0 seen='' outer_step=0 tasks=0 over=''

clock() { now=$((${EPOCHREALTIME/./} / 1000)); }

end_all() {
  local name
  for name in "${!pid[@]}"; do
    kill -KILL "${pid[$name]}" 2>/dev/null || true
    wait "${pid[$name]}" 2>/dev/null || true
  done
}
tear_down() {
  end_all
  [[ -z $space ]] || ip netns del "$space" 2>/dev/null || true
}
trap tear_down EXIT
trap 'give_up "this script failed in line $LINENO"' ERR

give_up() {
  printf 'soak.sh: run %d: %s; what the processes wrote is in %s\n' "$runs" "$*" "$scratch" >&4
  exit 1
}

reference() {
  "$program" --backend loopback "${run_file[@]}" --workers 2 --out "$scratch/reference" >"$scratch/reference.log" 2>&1 ||
    give_up "the undisturbed run in one process fails"
}

make_space() {
  local tool
  [[ $(id -u) == 0 ]] || { say "soak: without root no line is thin, and no connection stalls"; return; }
  for tool in ip tc nft ss; do command -v $tool >/dev/null || fail "there is no $tool: install iproute2 and nftables"; done
  space=dipaco-soak-$$
  ip netns add "$space"
  at=(ip netns exec "$space")
  ip -n "$space" link set lo mtu 1500 up
  "${at[@]}" nft 'add table inet stalls; add chain inet stalls way { type filter hook output priority 0; }'
}

# The line of all processes from now on: RATE of tc, or whole.
shape() { # [RATE]
  [[ $space ]] || return 0
  tc -n "$space" qdisc del dev lo root 2>/dev/null || true
  if [[ ${1:-} ]]; then tc -n "$space" qdisc add dev lo root tbf rate "$1" burst 32kb latency 400ms; fi
}

# Packets one way of one connection between processes are dropped from now on.
stall() {
  local ends
  ends=$("${at[@]}" ss -Htn state established | awk -v metrics="$metrics" -v drawn="$RANDOM" '
    { split($3, a, ":"); split($4, b, ":"); if (a[2] != metrics && b[2] != metrics) ends[++n] = a[2] " " b[2] }
    END { if (n) print ends[drawn % n + 1] }')
  [[ $ends ]] || return 0
  "${at[@]}" nft add rule inet stalls way tcp sport "${ends% *}" tcp dport "${ends#* }" drop
  count[stalls]=$((${count[stalls]:-0} + 1))
}

listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Two ports that nobody listens on, below the range that the system gives out by itself.
choose_ports() {
  for port in $(shuf -i 20000-29998 -n 50); do
    metrics=$((port + 1))
    if ! listens "$port" && ! listens "$metrics"; then return; fi
  done
  fail "no free port"
}

start() { # NAME
  local options=(--role "${1%-?}" --rendezvous "tcp://127.0.0.1:$port" --out "$scratch/run-$runs")
  if [[ $1 == coordinator ]]; then options+=(--expect "executors=2,stores=2,evaluators=1" --metrics "127.0.0.1:$metrics"); fi
  printf -- '--- started at %s ms\n' "$now" >>"$scratch/$1.log"
  "${at[@]}" "$program" --backend gloo "${run_file[@]}" "${drawn[@]}" "${liveness[@]}" "${options[@]}" \
    >>"$scratch/$1.log" 2>&1 &
  pid[$1]=$!
  state[$1]=up
}

go_on() { # NAME
  kill -CONT "${pid[$1]}" || true
  state[$1]=up
}

# What has become of a process that has ended.
ended() { # NAME STATUS
  local was=${state[$1]}
  unset "pid[$1]"
  state[$1]=down
  due[$1]=$((now + (RANDOM % 2) * RANDOM % (2 * limit)))
  if [[ $1 == coordinator && -e $scratch/run-$runs/summary.json && ! -e $scratch/run-$runs/state/run ]]; then over=yes; fi
  case $was-$2 in
    *-137) [[ $was == killed ]] || give_up "$1 was killed, and not by this script" ;;
    told-143 | told-130) ;;
    told-0) if [[ $1 == store* || $1 == executor* ]]; then state[$1]=left; fi ;;  # else nothing moves from here on
    up-0 | killed-0 | frozen-0) if [[ $1 != coordinator ]]; then state[$1]=left; fi ;;
    *) give_up "$1 ended with status $2" ;;
  esac
}

# Looks after all processes: who has ended, who is to go on, who is to be started again.
tend() {
  local name status
  clock
  for name in "${names[@]}"; do
    if [[ -n ${pid[$name]:-} ]] && ! kill -0 "${pid[$name]}" 2>/dev/null; then
      status=0
      wait "${pid[$name]}" || status=$?
      ended "$name" $status
    fi
    case ${state[$name]} in
      frozen) if ((now >= due[$name])); then go_on "$name"; fi ;;
      down) if [[ -z $over ]] && ((now >= due[$name])); then start "$name"; fi ;;
      told) ((now < told[$name] + to_end)) || give_up "$name does not end when it is told to" ;;
    esac
  done
}

disturb() {
  if [[ $space ]] && ((RANDOM % 4 == 0)); then
    case $((RANDOM % 4)) in
      0) stall ;;
      1) shape ;;
      *) local rates=(2mbit 5mbit 20mbit)
        shape "${rates[RANDOM % 3]}"
        count[thin]=$((${count[thin]:-0} + 1)) ;;
    esac
    return
  fi
  local name=${names[RANDOM % ${#names[@]}]} kinds=(KILL TERM STOP) kind
  [[ ${state[$name]} == up ]] || return 0
  kind=${kinds[RANDOM % 3]}
  kill -"$kind" "${pid[$name]}" 2>/dev/null || return 0
  count[$kind ${name%-?}]=$((${count[$kind ${name%-?}]:-0} + 1))
  case $kind in
    KILL) state[$name]=killed ;;
    TERM) state[$name]=told told[$name]=$now ;;
    STOP) state[$name]=frozen due[$name]=$((now + 200 + RANDOM % (2 * limit))) ;;
  esac
}

sizes_of() { stat -c %s "$scratch/run-$runs/nodes/coordinator-0/storage/$1"* | paste -sd+; }

# Asks the coordinator how far it is, where it answers. What it keeps tells where documents are scored for new shards, and
# where all tasks are completed and the last paths are evaluated.
look() {
  local answer all=''
  answer=$(timeout 1 "${at[@]}" bash -c "exec 3<>/dev/tcp/127.0.0.1/$metrics && printf 'GET /status.json HTTP/1.0\r\n\r\n' >&3 && cat <&3" \
    2>/dev/null) || true
  if [[ $answer =~ \"outer_step\":\ ([0-9]+) ]]; then outer_step=${BASH_REMATCH[1]}; fi
  if [[ $answer =~ \"tasks\":\ ([0-9]+) ]]; then all=${BASH_REMATCH[1]}; fi
  if [[ $answer =~ \"tasks_completed\":\ ([0-9]+) ]]; then
    tasks=${BASH_REMATCH[1]}
    printf '%s' "$answer" >"$scratch/status.json"
  fi
  local sign
  sign="$runs $tasks $(sizes_of resharding/ || true)"
  if [[ $tasks == "$all" ]]; then sign+=" $(sizes_of '' || true)"; fi
  pass_time "$now" "${pid[@]}"
  if [[ $sign != "$seen" ]]; then seen=$sign stood=0; fi
  ((stood < patience)) || give_up "no progress for $((patience / 1000)) s, at outer step $outer_step"
}

begin_run() {
  local name
  runs=$((runs + 1)) over='' seen='' outer_step=0 tasks=0
  rm -f "$scratch"/*-?.log "$scratch/coordinator.log" "$scratch/evaluator.log"
  choose_ports
  shape
  [[ -z $space ]] || "${at[@]}" nft flush chain inet stalls way
  local schedules=(earliest_finish first_free) backups=(on off)
  drawn=(--set "run.schedule=${schedules[RANDOM % 2]}" --set "run.backup_tasks=${backups[RANDOM % 2]}")
  clock
  begin_time "$now"
  for name in "${names[@]}"; do start "$name"; done
}

hash_of() { sed -nE 's/.*"parameters_hash": "([0-9a-f]+)".*/\1/p' "$1/summary.json"; }

# The coordinator has ended: so have the others, soon. Who was away has nobody to ask whether the run is over: it is told.
end_run() {
  local name until=$((now + to_end)) left=yes
  shape
  for name in "${names[@]}"; do
    if [[ ${state[$name]} == frozen ]]; then go_on "$name"; fi
  done
  while [[ $left ]]; do
    sleep 0.2
    tend
    left=''
    for name in "${names[@]}"; do
      if [[ -z ${pid[$name]:-} ]]; then continue; fi
      left=yes
      if ((now > until - to_end / 2)) && [[ ${state[$name]} == up ]]; then
        kill -TERM "${pid[$name]}" || true
        state[$name]=told told[$name]=$now
      fi
    done
  done
  judge
}

judge() {
  local ours=$scratch/run-$runs theirs=$scratch/reference file
  [[ $(hash_of "$ours") == $(hash_of "$theirs") ]] || give_up "other parameters: $(hash_of "$ours"), not $(hash_of "$theirs")"
  for file in "$theirs"/model/*; do
    cmp -s "$file" "$ours/model/${file##*/}" || give_up "another model: ${file##*/} differs or is missing"
  done
  steps=$((steps + outer_steps))
  rm -rf "$ours"
}

total() { # KIND
  local key sum=0
  for key in "${!count[@]}"; do if [[ $key == "$1 "* ]]; then sum=$((sum + count[$key])); fi; done
  printf '%d' $sum
}

summary() {
  local kind role line=''
  for kind in KILL TERM STOP; do
    line+="; SIG$kind $(total $kind) ("
    for role in coordinator store executor worker evaluator; do line+="$role ${count[$kind $role]:-0} "; done
    line="${line% })"
  done
  line+="; ${count[thin]:-0} times a thin line, ${count[stalls]:-0} connections stalled"
  if ((wanted > 0)); then line+="; the processes had $((100 * had / wanted)) % of the processor time that they wanted"; fi
  say "soak: $minutes minutes, $runs runs, $steps outer steps, all with the parameters of an undisturbed run$line"
}

build_preset release
exec 4>&2 2>"$scratch/shell.log"  # where the shell notes each process that was killed
make_space
reference
begin_run
begun=$now peace='' next_disturbance=$now next_look=$now minute=0 stop_at=$((now + minutes * 60000))
while true; do
  sleep 0.1
  tend
  if ((now >= next_disturbance && now < stop_at)); then
    disturb
    next_disturbance=$((now + 200 + RANDOM % 4000))
  elif [[ ! $peace ]] && ((now >= stop_at)); then
    shape
    peace=yes
  fi
  if ((now >= next_look)); then
    look
    next_look=$((now + 2000))
  fi
  if (((now - begun) / 60000 > minute)); then
    minute=$(((now - begun) / 60000))
    say "minute $minute: run $runs, outer step $outer_step, $tasks tasks; SIGKILL $(total KILL), SIGTERM $(total TERM), SIGSTOP $(total STOP)"
  fi
  [[ $over ]] || continue
  end_run
  if ((now >= stop_at)); then break; fi
  begin_run
done
rm -rf "$scratch"
summary

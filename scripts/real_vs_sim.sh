#!/usr/bin/env bash
# Real against simulated: seven small runs of processes whose sites are network namespaces with limited bandwidth, and
# dipaco-sim on the scenario that dipaco-run preflight wrote of the same network, with the step times of the run.
# Prints a row a run; fails where a duration is off by more than 10 %, or all by more than 5 % on average. Needs root,
# for the namespaces, and about ten minutes of two cores with nothing else to do.
#
#   bash scripts/real_vs_sim.sh [BUILD [RUN...]]    # RUN: fast slow unequal thin known loss learning; all of these
#   bash scripts/real_vs_sim.sh BUILD bound5 bound1   # lines of 5 and of 1 Mbit/s, beside what must be moved and waited for
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$dipaco_root"

for tool in ip tc; do command -v $tool >/dev/null || fail "there is no $tool: install iproute2"; done
bin=$(realpath "${1:-build/release}/bin")
[[ $# -eq 0 ]] || shift
runs=("$@")
[[ $# -gt 0 ]] || runs=(fast slow unequal thin known loss learning)
work=$(mktemp -d)
hub=dipaco-hub-$$
namespaces=("$hub") started=()
end() {
  [[ ${#started[@]} -eq 0 ]] || kill -9 "${started[@]}" 2>/dev/null || true
  for name in "${namespaces[@]}"; do ip netns del "$name" 2>/dev/null || true; done
  [[ -n ${KEEP:-} ]] || rm -rf "$work"
}
trap end EXIT
head -c 32 /dev/urandom | base64 >"$work/secret"

# 1.8 million parameters a path in four paths of two modules: a task moves 7 MB there and 7 MB back.
model=(--set model.blocks=2 --set model.hidden=256 --set model.heads=4 --set model.head_size=64
  --set inner.steps=40 --set liveness.limit=6s --set liveness.period=2s)
limit=6

# Limits what leaves a namespace by a device.
shape() { # NAMESPACE DEVICE RATE
  ip -n "$1" link set lo up
  # Packets as on a line: whole segments of 64 KB would fill its queue by fours.
  ip -n "$1" link set "$2" gso_max_segs 1 up
  ip netns exec "$1" tc qdisc add dev "$2" root tbf rate "$3" burst 16k latency 50ms
}

# A site, and its line to the hub and back.
add_site() { # SITE RATE
  local name=dipaco-$1-$$
  sites+=("$1")
  namespaces+=("$name")
  ip netns add "$name"
  ip link add wan netns "$name" type veth peer name "to-$1" netns "$hub"
  ip -n "$name" addr add "10.214.0.${#sites[@]}/24" dev wan
  ip -n "$hub" link set "to-$1" master bridge
  shape "$name" wan "$2"
  shape "$hub" "to-$1" "$2"
  # Linux's default, whatever this machine has.
  ip -n "$name" route replace 10.214.0.0/24 dev wan congctl cubic
}

# A network of these sites, and nothing in it yet.
begin_network() { # SITE RATE...
  local name
  for name in "${namespaces[@]}"; do ip netns del "$name" 2>/dev/null || true; done
  namespaces=("$hub") sites=() processes=()
  learns=no spacing=0.5 known_lines=off
  ip netns add "$hub"
  ip -n "$hub" link add bridge type bridge
  ip -n "$hub" link set bridge up
  for (( ; $# > 0; )); do
    add_site "$1" "$2"
    shift 2
  done
}

# The first one coordinates.
add_process() { # SITE STEP-TIME|learns ROLE...
  processes+=("$*")
}

# Starts PROCESS (its line) with dipaco-run and more words, within its site; `log` gets what it says.
start() { # LINE LOG WORD...
  local line log=$2 role roles=()
  read -ra line <<<"$1"
  shift 2
  for role in "${line[@]:2}"; do roles+=(--role "$role"); done
  ip netns exec "dipaco-${line[0]}-$$" "$bin/dipaco-run" "$@" "${roles[@]}" --site "${line[0]}" --interface wan \
    --rendezvous tcp://10.214.0.1:29400 --secret-file "$work/secret" --progress off >"$log.out" 2>"$log.log" &
  started+=($!)
}

step_time() { # LINE
  local line
  read -ra line <<<"$1"
  [[ ${line[1]} == learns || " ${line[*]:2} " != *" worker "* ]] || printf -- '--step-time %s' "${line[1]}"
}

# One after the other, so that they are numbered as in the simulation: the first store serves sites without one, the
# first worker gets the first path. A run begins when the last one, with the executor, is there.
start_all() { # LOGS WORD...
  local logs=$1 k
  shift
  started=()
  for k in "${!processes[@]}"; do
    local own=()
    [[ $k -gt 0 ]] || own=("${of_coordinator[@]}")
    # shellcheck disable=SC2046  # two words or none
    start "${processes[$k]}" "$logs.$k" "$@" "${own[@]}" $(with_step_time "${processes[$k]}")
    sleep "$spacing"
  done
}

wait_for_all() {
  local pid
  for pid in "${started[@]}"; do wait "$pid" || fail "a process has failed: $(tail -n 3 "$work/$run".*.log)"; done
  started=()
}

number_of() { # KEY FILE
  sed -nE "s/^ *\"$1\": ([0-9.e+-]+),?$/\1/p" "$2"
}

preflight() {
  local of_coordinator=(--processes "${#processes[@]}" --scenario-out "$work/$run.xml")
  [[ $known_lines == off ]] || of_coordinator+=(--format json)
  with_step_time() { step_time "$1"; }
  start_all "$work/$run.preflight" preflight
  wait_for_all
  sed 's/^/    /' "$work/$run.preflight.0.out" >"$work/$run.matrix"
}

real() {
  local stores=0 line of_coordinator learn=(--learn off)
  for line in "${processes[@]}"; do [[ $line != *store* ]] || ((++stores)); done
  of_coordinator=(--expect "executors=1,stores=$stores" --events on)
  [[ $known_lines == off ]] || of_coordinator=(--events on --lines "$work/$run.preflight.0.out"
    --expect "executors=1,stores=$stores,workers=$(printf '%s\n' "${processes[@]}" | grep -c ' worker')")
  with_step_time() {
    [[ $learns == yes ]] || printf -- '--step-time %s' "$(cut -d' ' -f2 <<<"$1")"
  }
  [[ $learns == no ]] || learn=(--threads 1)
  start_all "$work/$run.real" --backend gloo --run scenarios/runs/tiny.cfg "${run_file[@]}" "${learn[@]}" --out "$work/$run-real"
  if [[ -n ${lost_site:-} ]]; then
    sleep "$lost_after"
    ip -n "dipaco-$lost_site-$$" link set wan down
    kill -9 "${started[$lost]}"
    wait "${started[$lost]}" 2>/dev/null || true
    unset "started[$lost]"
  fi
  wait_for_all
}

# What an inner step took at each site where workers learned, into the scenario.
put_step_times() {
  local site seconds
  for site in "${sites[@]}"; do
    seconds=$(awk -F, -v site="$site" 'NR == 1 { for (c = 1; c <= NF; ++c) at[$c] = c }
      $at["site"] == site { s += $at["compute_s"]; n += $at["inner_steps"] } END { if (n) printf "%.6f", s / n }' \
      "$work/$run-real/workers.csv")
    [[ -z $seconds ]] || sed -i "/<zone id=\"$site\"/,/<host/ s|<host|<prop id=\"step_time\" value=\"${seconds}s\"/>\n      <host|" "$work/$run.xml"
  done
}

simulated() {
  local more=()
  [[ $learns == no ]] || put_step_times
  if [[ -n ${lost_site:-} ]]; then
    # It was missed after the limit.
    local workers at
    workers=$(($(grep -c '"role" value=".*worker' "$work/$run.xml") - 1))
    at=$(awk -F, -v limit=$limit '$2 == "node_down" { print $1 - limit; exit }' "$work/$run-real/events.csv")
    more=(--set "faults.kill=worker:$workers@time=${at}s")
  fi
  "$bin/dipaco-sim" "$work/$run.xml" --run scenarios/runs/tiny.cfg "${run_file[@]}" "${more[@]}" --learn off --progress off --events on \
    --set "run.known_lines=$known_lines" \
    --out "$work/$run-sim" >"$work/$run.sim.out" 2>"$work/$run.sim.log" || fail "$(tail -n 3 "$work/$run.sim.log")"
}

compare() { # NAME WHAT
  run=$1
  preflight
  real
  simulated
  local real_s sim_s
  real_s=$(number_of elapsed_s "$work/$run-real/summary.json")
  sim_s=$(number_of simulated_s "$work/$run-sim/summary.json")
  awk -v name="$run" -v what="$2" -v r="$real_s" -v s="$sim_s" -v rows="$work/rows" 'BEGIN {
    off = 100 * (s - r) / r
    printf "| %s | %s | %.1f | %.1f | %+.1f %% |\n", name, what, r, s, off
    print off >>rows }'
}

# No two workers are as fast to the microsecond: those of a simulation that are keep step for ever, and always want the
# line at the same time; real ones soon take turns.
two_sites() { # RATE STEP-TIME OF EACH WORKER
  begin_network a "$1" b "$1"
  add_process a 50ms coordinator store
  add_process a "$2" worker
  add_process a "$3" worker
  add_process b "$4" worker store
  add_process b "$5" worker
  add_process a 50ms executor
}

run_fast() {
  two_sites 100mbit 47ms 50ms 53ms 56ms
  run_file=("${model[@]}" --set outer.steps=12)
  compare fast "two sites, 100 Mbit/s, workers of 47, 50, 53 and 56 ms a step"
}

run_slow() {
  two_sites 20mbit 47ms 50ms 53ms 56ms
  run_file=("${model[@]}" --set outer.steps=5)
  compare slow "two sites, 20 Mbit/s, the same workers"
}

run_unequal() {
  begin_network a 100mbit b 20mbit c 100mbit
  add_process a 40ms coordinator store
  add_process a 40ms worker
  add_process a 60ms worker
  add_process b 50ms worker store
  add_process c 80ms worker
  add_process a 40ms executor
  run_file=("${model[@]}" --set outer.steps=5)
  compare unequal "three sites, 100, 20 and 100 Mbit/s, workers of 40, 60, 50 and 80 ms a step"
}

thin_sites() {
  begin_network a 40mbit b 15mbit
  add_process a 33ms coordinator store
  add_process a 33ms worker
  add_process b 61ms worker store
  add_process a 33ms executor
  run_file=("${model[@]}" --set outer.steps=4)
}

run_thin() {
  thin_sites
  compare thin "two sites, 40 and 15 Mbit/s, workers of 33 and 61 ms a step"
}

# Who knows these lines has the first site's worker do all.
run_known() {
  thin_sites
  known_lines=on
  compare known "the same two sites, whose lines are known"
  awk -v took="$(number_of elapsed_s "$work/known-real/summary.json")" 'BEGIN { exit took > 26 }' ||
    fail "the four paths took more than 26 s"
}

# What thin_bound.py is of: messages that go straight from who sends them to who needs them.
direct=(--set topology.levels=4x4 --set outer.steps=6 --set run.site_cache=off)

# Fails where more is moved, or waited for, than thin_bound.py allows.
within_bound() { # RATE STEP-TIME
  two_sites "$1" "$2" "$2" "$2" "$2"
  compare "$run" "two sites, ${1%mbit} Mbit/s, four workers of $2 a step"
  python3 scripts/thin_bound.py "$work/$run-real" "$1" a || fail "beyond the bound"
}

# Of 16 paths, so that a worker has four tasks of ten seconds an outer step: the line is busy while it computes.
run_bound5() {
  run=bound5 run_file=("${model[@]}" "${direct[@]}" --set model.hidden=128 --set model.head_size=32)
  within_bound 5mbit 250ms
}

run_bound1() {
  run=bound1 run_file=("${model[@]}" "${direct[@]}" --set model.hidden=64 --set model.head_size=16)
  within_bound 1mbit 250ms
}

run_loss() {
  begin_network a 100mbit b 100mbit
  add_process a 30ms coordinator store
  add_process a 30ms worker
  add_process b 50ms worker
  add_process a 30ms executor
  run_file=("${model[@]}" --set outer.steps=8)
  lost=2 lost_site=b lost_after=20
  compare loss "two sites, 100 Mbit/s, one worker of 30 and one of 50 ms, which is lost after 20 s"
  unset lost_site
}

run_learning() {
  begin_network a 20mbit b 20mbit
  add_process a learns coordinator store
  add_process a learns worker
  add_process b learns worker store
  add_process a learns executor
  # Two paths: of four, whoever is a hundredth of a second ahead takes the third, and with it the other half of the run.
  run_file=("${model[@]}" --set topology.levels=1x2 --set outer.steps=8)
  "$bin/dipaco" prepare --run scenarios/runs/tiny.cfg "${run_file[@]}" --progress off >/dev/null
  learns=yes spacing=4
  compare learning "two sites, 20 Mbit/s, two workers that learn"
}

echo "| run | what | real s | simulated s | difference |"
echo "|---|---|---|---|---|"
for one in "${runs[@]}"; do "run_$one"; done
awk '{ off = $1 < 0 ? -$1 : $1; sum += off; if (off > most) most = off }
  END { printf "mean %.1f %%, most %.1f %%\n", sum / NR, most; exit sum / NR > 5 || most > 10 }' "$work/rows" ||
  fail "a bound was missed: 10 % each, 5 % on average"

#!/usr/bin/env bash
# Real against simulated: seven small runs of processes whose sites are network namespaces with limited bandwidth, and
# dipaco-sim on the scenario that dipaco-run preflight wrote of the same network, with the step times of the run.
# Prints a row a run; fails where a duration is off by more than 10 %, or all by more than 5 % on average. Needs root,
# for the namespaces, and about ten minutes of two cores with nothing else to do.
#
#   bash scripts/real_vs_sim.sh [BUILD [RUN...]]    # RUN: fast slow unequal thin known loss learning; all of these
#   bash scripts/real_vs_sim.sh BUILD bound5 bound1   # lines of 5 and of 1 Mbit/s, beside what must be moved and waited for
#   bash scripts/real_vs_sim.sh BUILD cached5 cached1 # the same with caches at sites
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$dipaco_root"

bin=$(realpath "${1:-build/release}/bin")
[[ $# -eq 0 ]] || shift
runs=("$@")
[[ $# -gt 0 ]] || runs=(fast slow unequal thin known loss learning)
# shellcheck source=scripts/shaped_sites.sh
source "$(dirname "${BASH_SOURCE[0]}")/shaped_sites.sh"

# 1.8 million parameters a path in four paths of two modules: a task moves 7 MB there and 7 MB back.
model=(--set model.blocks=2 --set model.hidden=256 --set model.heads=4 --set model.head_size=64
  --set inner.steps=40 --set liveness.limit=6s --set liveness.period=2s)

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
within_bound() { # RATE STEP-TIME [caches]
  two_sites "$1" "$2" "$2" "$2" "$2"
  compare "$run" "two sites, ${1%mbit} Mbit/s, four workers of $2 a step"
  python3 scripts/thin_bound.py "$work/$run-real" "$1" a "${@:3}" || fail "beyond the bound"
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

# With caches, which are on unless a run file says otherwise. Sums would be what happens to wait for the line.
cached=("${direct[@]}" --set run.site_cache=on --set run.site_sums=off)

run_cached5() {
  run=cached5 run_file=("${model[@]}" "${cached[@]}" --set model.hidden=128 --set model.head_size=32)
  within_bound 5mbit 250ms caches
}

run_cached1() {
  run=cached1 run_file=("${model[@]}" "${cached[@]}" --set model.hidden=64 --set model.head_size=16)
  within_bound 1mbit 250ms caches
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

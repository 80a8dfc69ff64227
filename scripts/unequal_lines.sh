#!/usr/bin/env bash
# Three runs of processes on sites with unequal thin lines, all of which are worth having, three times each, and their
# simulations. The lines are known to both, as by a preflight. For each: how long the middle run took, of the lower bound
# that thin_bound.py has, and of the simulation; what each site is worth; in which order messages came. Fails above 1.15
# of the bound, or more than 5 % from the simulation. Needs root; about 35 minutes of two cores with little else to
# do.
#
#   bash scripts/unequal_lines.sh [BUILD [RUN...]]    # RUN: pair triple far; all of these
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$dipaco_root"

bin=$(realpath "${1:-build/release}/bin")
[[ $# -eq 0 ]] || shift
runs=("$@")
[[ $# -gt 0 ]] || runs=(pair triple far)
failed=''
# shellcheck source=scripts/shaped_sites.sh
source "$(dirname "${BASH_SOURCE[0]}")/shaped_sites.sh"

# 16 paths of 0.5 million parameters: a module has 1 MB. Messages that wait for a line are not added at their site, so
# that the bound knows what must cross.
model=(--set model.blocks=2 --set model.hidden=128 --set model.heads=4 --set model.head_size=32
  --set topology.levels=4x4 --set inner.steps=40 --set outer.steps=4 --set run.site_sums=off
  --set "liveness.limit=${limit}s" --set liveness.period=2s)

missed() {
  failed=yes
  say "MISSED: $*"
}

# Runs three times and simulates. RATES as thin_bound.py takes them.
measure() { # NAME WHAT RATES
  local k middle seconds simulated_s
  run=$1 run_file=("${model[@]}") known_lines=on
  preflight
  for k in 1 2 3; do
    real
    mv "$work/$run-real" "$work/$run-real-$k"
  done
  middle=$(for k in 1 2 3; do echo "$(number_of elapsed_s "$work/$run-real-$k/summary.json") $k"; done | sort -g | sed -n 2p)
  seconds=${middle% *}
  ln -s "$work/$run-real-${middle#* }" "$work/$run-real"
  simulated
  simulated_s=$(number_of simulated_s "$work/$run-sim/summary.json")
  printf '\n%s: %s\n' "$run" "$2"
  python3 scripts/thin_bound.py "$work/$run-real" "$3" a caches || true
  awk -v r="$seconds" -v s="$simulated_s" 'BEGIN { printf "real %.1f s, simulated %.1f s: %+.1f %%\n", r, s, 100 * (s - r) / r }'
  awk -v r="$seconds" -v s="$simulated_s" 'BEGIN { exit (s - r) ^ 2 > (0.05 * r) ^ 2 }' || missed "$run is off by more than 5 %"
  python3 scripts/thin_bound.py "$work/$run-real" "$3" a caches |
    awk '{ for (k = 1; k <= NF; ++k) if ($k == "chain") share = $(k + 3) } END { exit share > 1.15 }' ||
    missed "$run takes more than 1.15 of the bound"
  "$bin/dipaco-sim" worth "$work/$run.xml" --run scenarios/runs/tiny.cfg "${run_file[@]}"
  python3 scripts/transfer_order.py "$work/$run-real" "$work/$run-sim" 40
}

run_pair() {
  begin_network a 20mbit b 8mbit
  add_process a 250ms coordinator store
  add_process a 210ms worker
  add_process a 230ms worker
  add_process b 250ms worker store
  add_process b 240ms worker
  add_process a 250ms executor
  measure pair "two sites, 20 and 8 Mbit/s, workers of 210 and 230, 250 and 240 ms a step" a=20mbit,b=8mbit
}

run_triple() {
  begin_network a 30mbit b 15mbit c 6mbit
  add_process a 250ms coordinator store
  add_process a 300ms worker
  add_process b 260ms worker store
  add_process b 280ms worker
  add_process c 270ms worker store
  add_process a 250ms executor
  measure triple "three sites, 30, 15 and 6 Mbit/s, workers of 300, 260 and 280, and 270 ms a step" a=30mbit,b=15mbit,c=6mbit
}

# Who computes fast is far from the executor.
run_far() {
  begin_network a 40mbit b 10mbit
  add_process a 400ms coordinator store
  add_process a 400ms worker
  add_process b 190ms worker store
  add_process b 200ms worker
  add_process a 400ms executor
  measure far "two sites, 40 and 10 Mbit/s, one worker of 400 ms a step and, far from the executor, two of 190 and 200" a=40mbit,b=10mbit
}

for one in "${runs[@]}"; do "run_$one"; done
[[ -z $failed ]]

#!/usr/bin/env bash
# What place, caches and sums at sites save, between real processes: four sites, each a network namespace with a line of
# 100 Mbit/s to a hub, a store, an executor and 16 workers that sleep their inner steps; 64 paths of two modules. Prints a
# row for each way: the bytes between sites of the real run, of dipaco-sim on the same machines and lines, and by
# arithmetic (tests/sim/test_wan_bytes.cpp). Fails where the real run is off by more than 2 %, which is what small messages
# come to, or has requeued a task. Needs root, for the namespaces, and about ten minutes.
#
#   bash scripts/real_wan_bytes.sh [BUILD [WAY...]]    # WAY: spread placed cached summed; all of these
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$dipaco_root"

bin=$(realpath "${1:-build/release}/bin")
[[ $# -eq 0 ]] || shift
ways=("$@")
[[ $# -gt 0 ]] || ways=(spread placed cached summed)
# shellcheck source=scripts/shaped_sites.sh
source "$(dirname "${BASH_SOURCE[0]}")/shaped_sites.sh"

declare -r rate=100 step_time=500ms workers=16 grid=8 steps=4
declare -A keys=([spread]="run.place=spread run.site_cache=off" [placed]="run.site_cache=off" [cached]="run.site_sums=off" [summed]="")

scenario() {
  local site
  echo '<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
  echo '<platform version="4.1"><zone id="fleet" routing="Floyd"><prop id="coordinator" value="s0-17"/>'
  for site in 0 1 2 3; do
    echo "<cluster id=\"s$site\" prefix=\"s$site-\" suffix=\"\" radical=\"0-17\" speed=\"1Tf\" bw=\"10Gbps\" lat=\"10us\" router_id=\"s$site-gateway\">"
    echo "<prop id=\"step_time\" value=\"$step_time\"/><prop id=\"workers\" value=\"s$site-[0-15]\"/><prop id=\"executors\" value=\"s$site-16\"/><prop id=\"store\" value=\"s$site-17\"/></cluster>"
    echo "<link id=\"s$site-line\" bandwidth=\"${rate}Mbps\" latency=\"100us\" sharing_policy=\"SPLITDUPLEX\"/>"
  done
  echo '<zone id="backbone" routing="None"><router id="core"/></zone>'
  for site in 0 1 2 3; do
    echo "<zoneRoute src=\"s$site\" dst=\"backbone\" gw_src=\"s$site-gateway\" gw_dst=\"core\" symmetrical=\"NO\"><link_ctn id=\"s$site-line\" direction=\"UP\"/></zoneRoute>"
    echo "<zoneRoute src=\"backbone\" dst=\"s$site\" gw_src=\"core\" gw_dst=\"s$site-gateway\" symmetrical=\"NO\"><link_ctn id=\"s$site-line\" direction=\"DOWN\"/></zoneRoute>"
  done
  echo '</zone></platform>'
}

begin_fleet() {
  local site k
  begin_network s0 ${rate}mbit s1 ${rate}mbit s2 ${rate}mbit s3 ${rate}mbit
  spacing=0.1
  add_process s0 0 coordinator store
  for site in 0 1 2 3; do
    [[ $site == 0 ]] || add_process s$site 0 store
    add_process s$site 0 executor
    for ((k = 0; k < workers; ++k)); do add_process s$site $step_time worker; done
  done
}

real_fleet() {
  local of_coordinator=(--expect "executors=4,stores=4,workers=$((4 * workers))")
  with_step_time() { printf -- '--step-time %s' $step_time; }
  start_all "$work/$run.real" --backend gloo "${run_file[@]}" --learn off --out "$work/$run-real"
  wait_for_all
}

simulated_fleet() {
  "$bin/dipaco-sim" "$work/fleet.xml" "${run_file[@]}" --learn off --progress off --out "$work/$run-sim" \
    >"$work/$run.sim.out" 2>"$work/$run.sim.log" || fail "$(tail -n 3 "$work/$run.sim.log")"
}

scenario >"$work/fleet.xml"
echo "| way | real, MB between sites | simulated | arithmetic |"
echo "|---|---|---|---|"
missed=0
for run in "${ways[@]}"; do
  run_file=(--run scenarios/runs/tiny.cfg --set "topology.levels=${grid}x$grid" --set "outer.steps=$steps" --set inner.steps=20
    --set topology.path_specific=embedding --set model.hidden=128 --set model.head_size=32 --set liveness.limit=30s --set liveness.period=5s)
  for key in ${keys[$run]}; do run_file+=(--set "$key"); done
  begin_fleet
  real_fleet
  simulated_fleet
  python3 scripts/wan_arithmetic.py "$run" "$grid" "$steps" "$work/$run-real" "$work/$run-sim" || missed=1
done
[[ $missed == 0 ]] || fail "a run is not as arithmetic says, see above"

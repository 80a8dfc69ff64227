#!/usr/bin/env bash
# What takes too long for scripts/test.sh: many more runs with drawn faults, pairs of losses, each host off at each
# event, and kills of real processes. Prints a line a part; ends with status 1 at the first part that fails, whose
# output it leaves and names.
#
#   bash scripts/torture.sh [RUNS [SEED]]       default 2000 runs of each kind from seed 1000: about 30 minutes on two cores
#
# The last parts are runs of real processes over links, which wait in real time; the network that is cut needs root.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$dipaco_root"

export DIPACO_TORTURE_RUNS=${1:-2000}
export DIPACO_TORTURE_SEED=${2:-1000}
build_preset ci
bin=build/ci/bin
logs=$(mktemp -d)

part() {
  local name=$1
  shift
  if ! "$@" > "$logs/$name" 2>&1 || grep -q '^No tests ran' "$logs/$name"; then
    echo "$name: FAILED, see $logs/$name"
    exit 1
  fi
  echo "$name: $(grep -hE '^[0-9]+ (runs|of)|assertions in|the parameters of one process' "$logs/$name" | tail -n 1)"
}

part simulated-faults "$bin/test_failure" "200 simulated runs with*"
part thin-lines "$bin/test_failure" "200 simulated runs on thin*"
part unequal-workers "$bin/test_failure" "200 simulated runs of*"
part without-rounds "$bin/test_failure" "200 simulated asynchronous*,200 simulated runs whose*"
part dropped-and-gathered "$bin/test_failure" "100 simulated runs whose*,100 simulated runs with*"
part loopback-faults "$bin/test_failure" "200 loopback*"
part pairs-of-losses "$bin/test_failure" "500 pairs*"
part every-host-and-event env DIPACO_ONE_IN=1 "$bin/test_failure" "*whichever host goes off*,*every host may go off*,*are made again*"
part every-archive-write env DIPACO_KILLS=1 "$bin/test_resume"
part killed-programs env DIPACO_KILLS=50 "$bin/test_resume_program" "*killed*"
part process-stages env DIPACO_KILLS=3 "$bin/test_gloo_run" "processes of any role*"
part process-joining env DIPACO_KILLS=20 "$bin/test_gloo_run" "eight workers*,workers that are killed*,any process that is killed*"
part process-network env DIPACO_KILLS=10 "$bin/test_gloo_run" "a network*"
part process-strangers env DIPACO_KILLS=5 "$bin/test_gloo_run" "garbage*,hundreds*,an entry*"
if [[ $(id -u) == 0 ]]; then
  part two-sites bash scripts/try_sites.sh build/ci
  part stalled-streams env BUILD=build/ci bash scripts/stalls.sh 5 "$DIPACO_TORTURE_SEED" "$logs/stalls"
else
  echo "two-sites, stalled-streams: not run, need root"
fi
rm -r "$logs"

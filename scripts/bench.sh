#!/usr/bin/env bash
# Sets up, builds and runs the benchmarks: each prints a ratio to something bare that is measured in the same run, and
# fails below (or above) its bound. All of them run; at the end stands which fell short. Give the machine nothing else
# to do.
#
#   bash scripts/bench.sh
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$dipaco_root"

short=()
part() { # COMMAND...
  say "$*"
  "$@" || short+=("$*")
}

bash scripts/setup.sh
build_preset bench
part build/bench/bin/bench_inner_step
part build/bench/bin/bench_rows
part build/bench/bin/bench_outer_step
part build/bench/bin/bench_router
part build/bench/bin/bench_checkpoint build/bench
part bash scripts/bench_links.sh build/bench
part bash scripts/bench_rounds.sh paper build/bench 427 3
part bash scripts/bench_rounds.sh charged build/bench 427 3
part bash scripts/bench_rounds.sh fleet build/bench
if [[ ${#short[@]} != 0 ]]; then fail "short of its bound: $(printf '%s; ' "${short[@]}")"; fi

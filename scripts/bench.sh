#!/usr/bin/env bash
# Sets up, builds and runs the benchmarks: each prints a ratio to something bare that is measured in the same run, and
# fails below (or above) its bound. Give the machine nothing else to do.
#
#   bash scripts/bench.sh
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$dipaco_root"

bash scripts/setup.sh
build_preset bench
build/bench/bin/bench_inner_step
build/bench/bin/bench_outer_step
build/bench/bin/bench_router
build/bench/bin/bench_checkpoint build/bench
bash scripts/bench_links.sh build/bench
bash scripts/bench_rounds.sh build/bench

#!/usr/bin/env bash
# Sets up, builds and runs DiPaCo's main scenario: four datacenters, thin links, preempted workers, a model that learns.
#
#   bash scripts/demo.sh [OPTION OF dipaco-sim...]        e.g. --seed 2 --set outer.steps=4 --out /tmp/demo
#
# What the run leaves behind lies in out/wan_4dc (docs/reading-the-output.md).
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$dipaco_root"

bash scripts/setup.sh
build_preset release
exec build/release/bin/dipaco-sim scenarios/wan_4dc.xml --out out/wan_4dc "$@"

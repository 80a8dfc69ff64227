#!/usr/bin/env bash
# Compares what `dipaco-sim recommend` finds on scenarios/wan_4dc.xml with the best of an exhaustive grid of 500
# choices, by medians over the same five seeds: once the cheapest within an hour, once the shortest below 90 dollars.
#
#   bash scripts/recommend_grid.sh [BUILD [FOLDER]]     [build/release, out/recommend]: goes on where it was stopped
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$dipaco_root"

sim=${1:-build/release}/bin/dipaco-sim out=${2:-out/recommend}
asked=(scenarios/wan_4dc.xml --learn off --repeat 5 --progress off --set zone:dallas.jitter=0.05
  --set zone:tokyo.jitter=0.05 --over "charge.steps=75,100,125,150,200" --over zone:dallas.workers=1..4+1
  --over 'link:dallas-*.bandwidth=10Mbps..10Gbps*5' --over link:washington-frankfurt.bandwidth=10Mbps..10Gbps*5)

mkdir -p "$out"
"$sim" sweep "${asked[@]}" --out "$out/all" --show usd --show simulated_s --format json >"$out/all.json"
recommend() { # NAME OPTION...
  "$sim" recommend "${asked[@]}" --out "$out/$1" --format json "${@:2}" >"$out/$1.json"
}
recommend cheap --objective usd --subject 'simulated_s<1h'
recommend short --objective hours --subject 'usd<90'
python3 - "$out" <<'EOF'
import json, sys

folder = sys.argv[1]
median = {}
for row in json.load(open(f"{folder}/all.json")):
    median.setdefault(row["point"], {})[row["figure"]] = row["median"]
for name, goal, other, bound in [("cheap", "usd", "simulated_s", 3600), ("short", "simulated_s", "usd", 90)]:
    best = min(one[goal] for one in median.values() if one.get(other, bound) < bound and goal in one)
    told = json.load(open(f"{folder}/{name}.json"))
    found = next(row["median"] for row in told["best"] if row["figure"] == goal)
    print(f"{name}: {goal} {found:.2f}, best of {len(median)} choices {best:.2f}, {found / best:.4f} of it, "
          f"in {told['runs']} of {5 * len(median)} runs")
EOF

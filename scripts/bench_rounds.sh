#!/usr/bin/env bash
# The simulator's own cost: scenarios/paper_16x16.xml with --learn off against bare SimGrid (bench/bare_rounds.cpp), which
# sends the same messages over the same platform. Prints both and their ratio; status 1 above 1.5, 20 s or 1 GiB.
#
#   bash scripts/bench_rounds.sh [BUILD] [OUTER_STEPS]     with -DDIPACO_BENCH=ON built in BUILD [build/release]
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$dipaco_root"

build=${1:-build/release}
steps=${2:-427}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

"$build/bin/dipaco-sim" scenarios/paper_16x16.xml --learn off --set "outer.steps=$steps" --out "$out" --progress off \
  >/dev/null 2>&1
number() { # NAME: of summary.json
  sed -nE "s/^ *\"$1\": ([0-9.e+-]+),?$/\1/p" "$out/summary.json"
}
each() { # KIND: bytes of one message
  awk -v bytes="$(number "bytes_$1")" -v count="$(number "messages_$1")" 'BEGIN { printf "%.0f", bytes / count }'
}
flops=$(awk -v s="$(number worker_compute_s)" -v tasks="$(number tasks_completed)" 'BEGIN { print s / tasks * 4992e12 }')
"$build/bin/bare_rounds" scenarios/paper_16x16.xml "$steps" "$(each outer_gradient)" "$(each put_path_state)" "$flops" \
  >"$out/bare"
bare() { awk -v name="$1" '$1 == name { print $2 }' "$out/bare"; }

awk -v ours="$(number wall_s)" -v bare="$(bare wall_s)" -v bytes="$(number peak_rss_bytes)" \
  -v ours_messages="$(number messages)" -v bare_messages="$(bare messages)" \
  -v ours_s="$(number simulated_s)" -v bare_s="$(bare simulated_s)" 'BEGIN {
    printf "dipaco-sim    %d messages, %.0f s simulated, %.2f s wall time, %.0f MiB\n", ours_messages, ours_s, ours, bytes / 1048576
    printf "bare SimGrid  %d messages, %.0f s simulated, %.2f s wall time\n", bare_messages, bare_s, bare
    printf "ratio         %.2f\n", ours / bare
    exit ours > 1.5 * bare || ours > 20 || bytes > 2 ^ 30
  }'

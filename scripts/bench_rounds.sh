#!/usr/bin/env bash
# The simulator's own cost: a run with --learn off against bare SimGrid (bench/bare_rounds.cpp), which sends the same
# messages over the same platform. Prints both, their ratio, memory, and what the start takes. Status 1 beyond a bound.
#
#   bash scripts/bench_rounds.sh paper|charged|fleet [BUILD [OUTER_STEPS [TIMES]]]
#
#   paper        tests/sim/paper_16x16_fat.xml: 256 paths, 427 outer steps unless said otherwise
#   charged      the same, with the disks and the intake of scenarios/paper_16x16.xml
#   fleet        scripts/make_fleet.sh 100 100: 4,096 paths on 10,000 hosts, 100 outer steps, which take the bare program
#                half an hour: ten show the ratio as well
#   BUILD        with -DDIPACO_BENCH=ON [build/bench]
#   TIMES        both programs run so often, in turn: the middle ratio counts [1]
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$dipaco_root"

build=${2:-build/bench} times=${4:-1} failed='' charges=() disk=0 intake=0
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

case ${1:-} in
  paper | charged)
    scenario=tests/sim/paper_16x16_fat.xml speed=4992e12 steps=${3:-427} most_mib=512 most_start=''
    shape=(experts=16x16 "sites=east,west,north,south" workers=64 executors=8 executor=64 store=72)
    if [[ $1 == charged ]]; then
      disk=2e9 intake=1.2e9
      for site in east west north south; do charges+=("zone:$site.disk=2GBps" "zone:$site.intake=1.2GBps"); done
    fi
    ;;
  fleet)
    scenario=$out/fleet_10k.xml speed=2496e12 steps=${3:-100} most_mib=4096 most_start=5
    shape=(experts=64x64 "sites=$(seq -s, -f 's%g' 0 99)" workers=98 executors=1 executor=98 store=99)
    bash scripts/make_fleet.sh 100 100 "$dipaco_root/scenarios/runs/fleet_10k.cfg" >"$scenario"
    ;;
  *) fail "usage: bench_rounds.sh paper|charged|fleet [BUILD [OUTER_STEPS [TIMES]]]" ;;
esac

# Its output goes to $out/NAME.out, what it says to $out/NAME.err, and a line of its wall and processor seconds to
# $out/NAME.times.
timed() { # NAME COMMAND...
  local TIMEFORMAT='%R %U %S' name=$1 status=0
  shift
  { time "$@" >"$out/$name.out" 2>"$out/$name.err" || status=$?; } 2>"$out/last"
  awk '{ print $1, $2 + $3 }' "$out/last" >>"$out/$name.times"
  return $status
}
simulate() { # NAME SETTING...
  local name=$1 settings=(--set run.site_cache=off --set run.place=spread) # as the bare program has it
  shift
  for setting in "$@" "${charges[@]}"; do settings+=(--set "$setting"); done
  timed "$name" "$build/bin/dipaco-sim" "$scenario" --learn off "${settings[@]}" --out "$out/$name" --progress off
}
number() { # NAME: of the last run's summary.json
  sed -nE "s/^ *\"$1\": ([0-9.e+-]+),?$/\1/p" "$out/ours/summary.json"
}
each() { # KIND: bytes of one message
  awk -v bytes="$(number "bytes_$1")" -v count="$(number "messages_$1")" 'BEGIN { printf "%.0f", bytes / count }'
}
# A module of the second level has the last norm, too: 896 parameters (model.hidden) of 4 bytes. Half of all modules are
# of the second level.
last_norm=3584
bare() { awk -v name="$1" '$1 == name { print $2 }' "$out/bare.out"; }
seconds() { # NAME COLUMN: the least, 1 of wall and 2 of processor time
  sort -g -k "$2,$2" "$out/$1.times" | awk -v k="$2" 'NR == 1 { print $k }'
}
judge() { # WHAT VALUE BOUND
  awk -v v="$2" -v bound="$3" 'BEGIN { exit v > bound }' || {
    failed=yes
    say "MISSED: $1 is $2, and at most $3 are allowed"
  }
}

bare_program() { # NAME ROUNDS
  timed "$1" "$build/bin/bare_rounds" "$scenario" "rounds=$2" "${shape[@]}" "flops=$flops" "disk=$disk" "intake=$intake" \
    "module_bytes=$(($(each outer_gradient) - last_norm / 2))" \
    "second_module_bytes=$(($(each outer_gradient) + last_norm / 2))" "state_bytes=$(each put_path_state)" \
    "task_bytes=$(each task)" \
    "stored_bytes=$(each stored)" "committed_bytes=$(each committed)" "done_bytes=$(each task_done)" \
    "ready_bytes=$(each module_ready)" || fail "bare_rounds failed: $(tail -1 "$out/$1.err")"
}

for ((i = 0; i < times; ++i)); do
  simulate ours "outer.steps=$steps" || fail "dipaco-sim failed: $(tail -1 "$out/ours.err")"
  flops=$(awk -v s="$(number worker_compute_s)" -v tasks="$(number tasks_completed)" -v speed="$speed" \
    'BEGIN { printf "%.17g", s / tasks * speed }')
  bare_program bare "$steps"
done
for ((i = 0; i < 3; ++i)); do
  simulate one outer.steps=1 || fail "dipaco-sim failed: $(tail -1 "$out/one.err")"
  bare_program bare_one 1
done

mib=$(awk -v bytes="$(number peak_rss_bytes)" 'BEGIN { printf "%.0f", bytes / 1048576 }')
ratios=$(paste -d' ' "$out/ours.times" "$out/bare.times" | awk '{ print $2 / $4 }' | sort -g)
ratio=$(awk '{ r[NR] = $1 } END { printf "%.2f", (r[int((NR + 1) / 2)] + r[int((NR + 2) / 2)]) / 2 }' <<<"$ratios")
line='%-13s %d messages, %.0f s simulated, %.2f s wall time, %.2f s of a processor'
# shellcheck disable=SC2059  # both lines look alike
printf "$line, %d MiB\n" dipaco-sim "$(number messages)" "$(number simulated_s)" "$(seconds ours 1)" "$(seconds ours 2)" "$mib"
# shellcheck disable=SC2059
printf "$line\n" 'bare SimGrid' "$(bare messages)" "$(bare simulated_s)" "$(seconds bare 1)" "$(seconds bare 2)"
printf 'ratio         %s of processor time (%d in turn: %.2f to %.2f)\n' "$ratio" "$times" "$(head -1 <<<"$ratios")" \
  "$(tail -1 <<<"$ratios")"
start=$(awk -v ours="$(seconds one 1)" -v bare="$(seconds bare_one 1)" 'BEGIN { printf "%.2f", ours / bare }')
printf 'start         %.2f s wall time with the first outer step, bare SimGrid %.2f s: ratio %s\n' "$(seconds one 1)" \
  "$(seconds bare_one 1)" "$start"

judge "the ratio" "$ratio" 1.3
judge "memory in MiB" "$mib" "$most_mib"
judge "the ratio of the starts" "$start" 1
[[ -z $most_start ]] || judge "wall seconds of a run of one outer step" "$(seconds one 1)" "$most_start"
[[ -z $failed ]]

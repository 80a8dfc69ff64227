#!/usr/bin/env bash
# Builds the fuzz targets (tests/fuzz) with clang++ and runs each for some seconds, two at a time. What they have learnt
# is kept in build/fuzz/corpus. Fails if a target finds something, and says how to see it again.
#
#   bash scripts/fuzz.sh [SECONDS [TARGET...]]            20 seconds and all targets unless given
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$dipaco_root"

seconds=${1:-20}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || fail "\"$seconds\" is no number of seconds; as in: scripts/fuzz.sh 60"
shift $(($# > 0 ? 1 : 0))
targets=("$@")
if [[ $# == 0 ]]; then
  for source in tests/fuzz/fuzz_*.cpp; do targets+=("$(basename "$source" .cpp)"); done
fi
export UBSAN_OPTIONS=print_stacktrace=1
ASAN_SYMBOLIZER_PATH=${ASAN_SYMBOLIZER_PATH:-$(command -v addr2line)}  # comes with g++; llvm-symbolizer would be 100 MB
export ASAN_SYMBOLIZER_PATH

# Runs target $1; leaves its output and exit status in build/fuzz/logs.
run_target() {
  local status=0
  mkdir -p "build/fuzz/corpus/$1" build/fuzz/findings
  "build/dev/bin/$1" "build/fuzz/corpus/$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="build/fuzz/findings/$1-" >"build/fuzz/logs/$1" 2>&1 || status=$?
  echo "$status" >"build/fuzz/logs/$1.status"
}

# Tells how target $1 did; fails if it found something.
report() {
  local log=build/fuzz/logs/$1 executions finding
  executions=$(sed -nE 's/^stat::number_of_executed_units: *//p' "$log")
  if [[ $(cat "$log.status") == 0 ]]; then
    say "$1: passed, ${executions:-0} executions"
    return 0
  fi
  tail -n 40 "$log"
  finding=$(sed -nE 's/.*Test unit written to //p' "$log" | tail -n 1)
  if [[ -n $finding ]]; then
    say "$1: FAILED; to see it again: build/dev/bin/$1 $finding"
  else
    say "$1: FAILED before it tried an input; to see it again: build/dev/bin/$1 build/fuzz/corpus/$1"
  fi
  return 1
}

build_preset dev fuzz
rm -rf build/fuzz/logs
mkdir -p build/fuzz/logs
for target in "${targets[@]}"; do
  [[ -x build/dev/bin/$target ]] || fail "there is no target $target; the targets are tests/fuzz/fuzz_*.cpp"
  while (($(jobs -pr | wc -l) >= 2)); do wait -n; done
  run_target "$target" &
done
wait

failed=0
for target in "${targets[@]}"; do report "$target" || failed=$((failed + 1)); done
say "fuzzing: $((${#targets[@]} - failed)) targets passed, $failed failed, $seconds s each"
[[ $failed == 0 ]]

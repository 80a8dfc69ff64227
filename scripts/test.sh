#!/usr/bin/env bash
# Sets up and fuzzes each reader of a file format for some seconds; then builds and runs all tests, those of threads and
# links once more under ThreadSanitizer, and those that need no LibTorch and are not long under AddressSanitizer and
# UBSan. What the sources look like is tested once. Stops at the first of these that fails, with a non-zero exit status;
# CTest's summary stands in the last lines.
#
#   bash scripts/test.sh [OPTION OF ctest...]             e.g. -R 'outer:', which leaves out the fuzzing
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$dipaco_root"

bash scripts/setup.sh --tests
[[ $# -gt 0 ]] || bash scripts/fuzz.sh 10
for preset in ci tsan dev; do
  build_preset "$preset"
  some=()
  [[ $preset == ci ]] || some=(--label-exclude 'long|style')
  ctest --preset "$preset" "${some[@]}" "$@"
done

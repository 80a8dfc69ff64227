#!/usr/bin/env bash
# Sets up, builds and runs all tests; then the tests that need no LibTorch once more under AddressSanitizer and UBSan.
# Stops at the first of the two that fails, with CTest's summary as its last lines and a non-zero exit status.
#
#   bash scripts/test.sh [OPTION OF ctest...]             e.g. -R 'outer:'
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$dipaco_root"

bash scripts/setup.sh --tests
for preset in ci dev; do
  build_preset "$preset"
  ctest --preset "$preset" "$@"
done

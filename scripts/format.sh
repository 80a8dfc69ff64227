#!/usr/bin/env bash
# Formats all C++ sources of the project with clang-format-14, or with --check only says which are not formatted.
#
#   bash scripts/format.sh [--check] [FILE...]
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

how=(-i)
if [[ ${1:-} == --check ]]; then
  how=(--dry-run -Werror)
  shift
fi
[[ $# -gt 0 ]] || { cd "$dipaco_root" && mapfile -t files < <(our_sources) && set -- "${files[@]}"; }
clang-format-14 "${how[@]}" "$@"

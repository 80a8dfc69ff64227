#!/usr/bin/env bash
# Runs the checks of .clang-tidy over the product's C++ sources, or over those named; prints only what it finds. Each header
# is seen alone: as the first that its source includes, or by itself where it has none.
#
#   bash scripts/lint.sh [FILE...]
#
# clang-tidy-16: clang 14 cannot read this compiler's <source_location>.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$dipaco_root"

flags=(-std=c++20 "-I$dipaco_root" "-isystem$dipaco_root/backends/gloo/missing")
torch=$(libtorch_dir)
if [[ -n $torch ]]; then
  flags+=("-isystem$torch/include" "-isystem$torch/include/torch/csrc/api/include")
fi
# What CMake defines for a file, such as the versions of libraries: any text serves here.
mapfile -t names < <(grep -rhoE '\bDIPACO_[A-Z_]+\b' core backends analysis --include='*.cpp' | sort -u)
flags+=("${names[@]/%/=\"\"}")
flags=("${flags[@]/#DIPACO/-DDIPACO}")
files=("$@")
if [[ $# == 0 ]]; then
  mapfile -t files < <(our_sources | grep -E '^(core|backends|analysis)/' | awk '
      { name = $0; sub(/\.[ch]pp$/, "", name) }
      /\.cpp$/ || !(name in sources) { print }
      { sources[name] }' |
    if [[ -n $torch ]]; then cat; else grep -v '^core/nn/'; fi)
fi
# clang-tidy counts on stderr the warnings that it does not show.
printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -I{} clang-tidy-16 --quiet {} -- "${flags[@]}" 2>/dev/null

#!/usr/bin/env bash
# Runs the checks of .clang-tidy over the product's C++ sources, or over those named; prints only what it finds. Each header
# is seen alone: as the first that its source includes, or by itself where it has none. Those of core/nn are checked
# together, as LibTorch's headers take twenty times longer than they, and then only parsed alone.
#
#   bash scripts/lint.sh [FILE...]
#
# Each file's settings are those of the .clang-tidy above it: the libraries' headers have none, and are not held against ours.
# That takes a third less time than --config-file, which checks 36,000 of their names a file and then shows none.
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
mapfile -t names < <(grep -rhoE '\bDIPACO_[A-Z_]+\b' core backends analysis programs --include='*.cpp' | sort -u)
flags+=("${names[@]/%/=\"\"}")
flags=("${flags[@]/#DIPACO/-DDIPACO}")

# clang-tidy counts on stderr the warnings that it does not show.
lint() {
  printf '%s\0' "$@" | xargs -0 -P "$(nproc)" -I{} clang-tidy-16 --quiet {} -- "${flags[@]}" 2>/dev/null
}

if [[ $# -gt 0 ]]; then
  lint "$@"
  exit
fi

mapfile -t files < <(our_sources | grep -E '^(core|backends|analysis|programs)/' | awk '
    { name = $0; sub(/\.[ch]pp$/, "", name) }
    /\.cpp$/ || !(name in sources) { print }
    { sources[name] }')
mapfile -t others < <(printf '%s\n' "${files[@]}" | grep -v '^core/nn/')
if [[ -z $torch ]]; then
  lint "${others[@]}"
  exit
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp .clang-tidy "$work"
printf '#include "%s"\n' core/nn/*.cpp >"$work/nn.cpp"
lint "$work/nn.cpp" "${others[@]}"
clang++-16 "${flags[@]}" -x c++-header core/nn/torch.hpp -o "$work/torch.pch"
printf '%s\0' core/nn/*.cpp |
  xargs -0 -P "$(nproc)" -I{} clang++-16 "${flags[@]}" -fsyntax-only -include-pch "$work/torch.pch" {}

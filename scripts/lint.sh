#!/usr/bin/env bash
# Runs the checks of .clang-tidy over the product's C++ sources, or over those named; prints only what it finds. Of all of
# them up to 16 of a folder are checked as one, as a library's headers take longer than a source of ours: a fifth of the
# time. That each header can be seen alone is for the preset ci to verify, but for those of core/nn: they are parsed here.
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

# Checks a file, unless it was clean when this text, of the file and of all that it includes, was last checked by these
# settings: ${DIPACO_CACHE:-~/.cache/dipaco}/lint has an empty file for each such text. clang-tidy counts on stderr the
# warnings that it does not show.
lint_one() { # FILE FLAG...
  local file=$1 seen
  shift
  seen=$clean/$({ cat "$settings" && clang-tidy-16 --version && clang++-16 "$@" -E -CC -P -dD "$file"; } 2>/dev/null |
    sha256sum | cut -d' ' -f1)
  if [[ -e $seen ]]; then
    touch "$seen"
  elif clang-tidy-16 --quiet "$file" -- "$@" 2>/dev/null; then
    : >"$seen"
  else
    return 1
  fi
}
export -f lint_one
export clean=$dipaco_cache/lint settings=$dipaco_root/.clang-tidy
mkdir -p "$clean"
find "$clean" -type f -mtime +30 -delete

lint() {
  printf '%s\0' "$@" | xargs -0 -P "$(nproc)" -I{} bash -c 'lint_one "$@"' _ {} "${flags[@]}"
}

if [[ $# -gt 0 ]]; then
  lint "$@"
  exit
fi

mapfile -t files < <(our_sources | grep -E '^(core|backends|analysis|programs)/' | awk '
    { name = $0; sub(/\.[ch]pp$/, "", name) }
    /\.cpp$/ || !(name in sources) { print }
    { sources[name] }')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp .clang-tidy "$work"
declare -A count
for file in "${files[@]}"; do
  folder=${file%/*}
  count[$folder]=$((${count[$folder]:-0} + 1))
  number=$(((count[$folder] - 1) / 16))
  printf '#include "%s"\n' "$file" >>"$work/${folder//\//.}.$number.cpp"
done
[[ -n $torch ]] || rm -f "$work"/core.nn.*
lint "$work"/*.cpp
if [[ -z $torch ]]; then exit; fi

clang++-16 "${flags[@]}" -x c++-header core/nn/torch.hpp -o "$work/torch.pch"
printf '%s\0' core/nn/*.cpp |
  xargs -0 -P "$(nproc)" -I{} clang++-16 "${flags[@]}" -fsyntax-only -include-pch "$work/torch.pch" {}

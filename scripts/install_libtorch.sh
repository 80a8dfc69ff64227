#!/usr/bin/env bash
# Fetches the LibTorch that the trainer was built with, and that Debian does not have: the wheels of libtorch.txt, which
# stands beside this script. Unpacks what runs on CPUs into FOLDER, 500 MB, in place of what was there.
#
#   bash install_libtorch.sh [FOLDER]
#
# FOLDER is ./libtorch beside this script unless named; there an installed DiPaCo looks. Needs python3 with pip, and
# unzip. Wheels that lie in ${DIPACO_CACHE:-~/.cache/dipaco}/wheels need no network.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${1:-$here/libtorch}
wheels=${DIPACO_CACHE:-${HOME:-}/.cache/dipaco}/wheels

fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# Fetches the wheels into $aside/wheels; pip compares their hashes with libtorch.txt.
fetch_wheels() {
  local options=(--no-deps --require-hashes --only-binary=:all: --implementation cp --python-version 3.11
    --platform manylinux_2_28_x86_64 --platform manylinux_2_25_x86_64 --platform manylinux2014_x86_64)
  [[ ! -d $wheels ]] || options+=(--find-links "$wheels")
  python3 -m pip --quiet --disable-pip-version-check --no-cache-dir download "${options[@]}" \
    -d "$aside/wheels" -r "$here/libtorch.txt" ||
    fail "LibTorch was not fetched: no network, or a wheel whose hash is not the one of $here/libtorch.txt; see above"
}

# The CUDA half would be of no use without 3 GB more of CUDA libraries.
unpack_wheels() {
  local wheel
  for wheel in "$aside"/wheels/*.whl; do
    unzip -q -o "$wheel" 'torch/include/*' 'torch/lib/*.so*' 'nvidia/*/lib/libcudart.so*' 'nvidia/*/lib/libcupti.so*' \
      '*.dist-info/*' -x 'torch/lib/*cuda*' 'torch/lib/*nv*' 'torch/lib/libtorch_python.so' 'torch/lib/libtorch.so' \
      'torch/lib/libshm.so' -d "$aside/libtorch" 2>/dev/null || [[ $? == 11 ]] ||  # 11: a pattern that one wheel lacks
      fail "$(basename "$wheel") could not be unpacked into $folder: is the disk full?"
  done
}

[[ -f $here/libtorch.txt ]] ||
  fail "this DiPaCo was built with a LibTorch that nobody publishes: put that one, or a link to it, at $folder/torch"
[[ $(uname -m) == x86_64 ]] || fail "no LibTorch is published here for $(uname -m)"
if ! command -v unzip >/dev/null || ! python3 -m pip --version >/dev/null 2>&1; then
  fail "needs python3 with pip, and unzip; as root: apt-get install python3-pip unzip"
fi
if ! mkdir -p "$(dirname "$folder")" || ! aside=$(mktemp -d "$folder.XXXXXX.part"); then
  fail "$folder cannot be made: run this as root"
fi
trap 'rm -rf "$aside"' EXIT
fetch_wheels
unpack_wheels
cp "$here/libtorch.txt" "$aside/libtorch/"
chmod -R u+w,a+rX "$aside/libtorch"
rm -rf "$folder"
mv -T "$aside/libtorch" "$folder"
echo "LibTorch is in $folder"

#!/usr/bin/env bash
# Does CTest know each test case that the test programs of a build have? It drops a name that has a semicolon, without a
# word.
#
#   bash tests/style/test_discovery.sh BUILD
set -euo pipefail

known=$(ctest --test-dir "$1" -N | sed -n 's/^ *Test *#[0-9]*: [^:]*: \?//p')
missing=0
for program in "$1"/bin/test_*; do
  while IFS= read -r name; do
    [[ -n $name ]] || continue
    if ! grep -qxF -- "$name" <<<"$known"; then
      echo "CTest does not run \"$name\" of $(basename "$program"): give it another name"
      missing=$((missing + 1))
    fi
  done < <("$program" --list-test-names-only || true)  # its status is the number of names
done
[[ -n $known && $missing == 0 ]]

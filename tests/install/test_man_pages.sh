#!/usr/bin/env bash
# Each program has a man page in docs/man that names exactly the options that its --help does, of each command and
# backend, and that groff reads without a word.
#
#   test_man_pages.sh FOLDER_OF_THE_PROGRAMS
set -euo pipefail
bin=$1
pages=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../docs/man" && pwd)
wrong=0

complain() {
  printf '%s\n' "$*"
  wrong=1
}

# The options of program $1; each further argument is a command or backend, as words.
options_of() {
  local program=$1 words
  shift
  for words in "" "$@"; do
    # shellcheck disable=SC2086  # words
    "$bin/$program" $words --help | sed -nE 's/^  (--[a-z-]+).*/\1/p'
  done | sort -u
}

compare() {
  local page=$pages/$1.1 difference
  [[ -f $page ]] || { complain "docs/man has no page of $1"; return; }
  difference=$(diff <(options_of "$@") <(sed -nE 's/\\-/-/g; s/^\.B (--[a-z-]+).*/\1/p' "$page" | sort -u)) ||
    complain "docs/man/$1.1 and $1 --help have not the same options (< --help, > page):"$'\n'"$difference"
  difference=$(LC_ALL=C.UTF-8 groff -man -Tutf8 -ww "$page" 2>&1 >/dev/null)
  [[ -z $difference ]] || complain "$difference"
}

compare dipaco init prepare evaluate inspect replay
compare dipaco-run "--backend gloo" preflight validate
compare dipaco-sim worth data-parallel sweep bisect recommend sensitivity fleet calibrate
compare dipaco-report
exit "$wrong"

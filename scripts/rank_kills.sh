#!/usr/bin/env bash
# Real processes whose workers part each batch among ranks (inner.ranks), a thread each: two ranks in every other run, four
# in the rest, and workers of different numbers of threads. In each run one of both workers, drawn, is killed at a drawn
# moment with all its ranks, and started again. Each run has to end with the parameters of a run in one process, whose
# ranks go one after the other. Prints a line a run, until KILLS runs were struck: in some the worker has ended before.
# Those that are in FOLDER/runs.txt are not done again.
#
#   bash scripts/rank_kills.sh [KILLS [SEED [FOLDER]]]     default 50 kills, seed 1, out/rank_kills
#
# BUILD names the build (build/release).
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$dipaco_root"

kills=${1:-50} seed=${2:-1} out=${3:-out/rank_kills}
[[ $kills =~ ^[0-9]+$ && $seed =~ ^[0-9]+$ ]] || fail "KILLS and SEED are whole numbers"
program=${BUILD:-build/release}/bin/dipaco-run
options=(--run scenarios/runs/tiny.cfg --set outer.steps=6 --set inner.steps=60 --set evaluate.every=0
  --set evaluate.dense_equal_steps=off --progress off)
declare -A pid hash
declare -r to_end=120 # seconds that a run may take
mkdir -p "$out"
out=$(realpath "$out")
touch "$out/runs.txt"

end_all() {
  for name in "${!pid[@]}"; do
    kill -KILL "${pid[$name]}" 2>/dev/null || true
    wait "${pid[$name]}" 2>/dev/null || true
    unset "pid[$name]"
  done
}
trap end_all EXIT

struck() { grep -c ': yes$' "$out/runs.txt" || true; }

hash_of() { sed -nE 's/.*"parameters_hash": "([0-9a-f]+)".*/\1/p' "$1/summary.json"; }

start() { # NAME THREADS OPTION...
  local name=$1 threads=$2
  shift 2
  "$program" --backend gloo "${options[@]}" --set "inner.ranks=$ranks" --threads "$threads" --rendezvous "file://$out/meeting" \
    "$@" >>"$out/$name.log" 2>&1 &
  pid[$name]=$!
}

for ranks in 2 4; do
  "$program" --backend loopback "${options[@]}" --set "inner.ranks=$ranks" --threads 1 --out "$out/loopback" \
    >"$out/loopback.log" 2>&1 || fail "the run in one process fails; see $out/loopback.log"
  hash[$ranks]=$(hash_of "$out/loopback")
done
[[ ${hash[2]} != "${hash[4]}" ]] || fail "two and four ranks have the same bits: the key does nothing"

for ((run = 1; $(struck) < kills; ++run)); do
  ((run <= 2 * kills + 2)) || fail "most workers end before they are killed; let the runs be longer"
  if grep -q "^run $run:" "$out/runs.txt"; then continue; fi
  ranks=$((2 + 2 * (run % 2))) RANDOM=$((seed * 1000 + run))
  rm -rf "$out/meeting" "$out"/{run,worker-1,worker-2,hub.log,worker-1.log,worker-2.log}
  mkdir "$out/meeting"
  start hub 1 --role coordinator --role executor --role store --out "$out/run"
  start worker-1 1 --role worker --out "$out/worker-1"
  start worker-2 "$ranks" --role worker --out "$out/worker-2"
  until (($(grep -c '(worker on' "$out/hub.log") == 2)); do
    for name in "${!pid[@]}"; do
      kill -0 "${pid[$name]}" 2>/dev/null || fail "run $run does not begin; see $out/$name.log"
    done
    sleep 0.05
  done
  victim=$((1 + RANDOM % 2)) after=$((RANDOM % 4000))
  sleep "$((after / 1000)).$(printf %03d $((after % 1000)))"
  struck=no
  if kill -KILL "${pid[worker-$victim]}" 2>/dev/null; then
    wait "${pid[worker-$victim]}" 2>/dev/null || struck=yes
    start "worker-$victim" "$((victim == 1 ? 1 : ranks))" --role worker --out "$out/worker-$victim"
  fi
  timeout "$to_end" tail --pid="${pid[hub]}" -f /dev/null || fail "run $run takes too long; see $out/hub.log"
  wait "${pid[hub]}" || fail "run $run fails; see $out/hub.log"
  end_all
  [[ $(hash_of "$out/run") == "${hash[$ranks]}" ]] || fail "run $run has other parameters; see $out/run"
  echo "run $run: $ranks ranks, worker $victim killed after $after ms: $struck" | tee -a "$out/runs.txt"
done
echo "$(struck) of $(wc -l <"$out/runs.txt") runs with a killed worker: the parameters of one process"

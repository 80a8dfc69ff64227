#!/usr/bin/env bash
# What GPUs do, in one command: inner steps of paths of 150 million and 1.1 billion parameters against a bare LibTorch
# loop, by bench/bench_gpu.cpp; and a run of four paths in several processes on one GPU, one of which is killed. Prints
# what goes into docs/results/gpus.md. Status 1 where a ratio to the bare loop is below its bound, or the run fails.
#
#   bash scripts/bench_gpu.sh TERAFLOPS [BUILD [DEVICE]]
#
#   TERAFLOPS    of the GPU for dense bf16, by its datasheet: what MFU is a share of. An H100's or H200's (SXM): 989
#   BUILD        made with -DDIPACO_BENCH=ON and a LibTorch with CUDA [build/bench]
#   DEVICE       cuda, cuda:I [cuda:0]
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$dipaco_root"

[[ ${1:-} =~ ^[0-9]+$ ]] || fail "usage: bench_gpu.sh TERAFLOPS [BUILD [DEVICE]]"
teraflops=$1 build=${2:-build/bench} device=${3:-cuda:0}
out=$(mktemp -d)
pids=()
tear_down() {
  for pid in "${pids[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
  rm -rf "$out"
}
trap tear_down EXIT

short=()
inner_steps() { # OPTION...
  "$build/bin/bench_gpu" --device "$device" --teraflops "$teraflops" "$@" || short+=("inner steps $*")
}

# Runs in the background, with what it says in $out/NAME.log; its process is in `started`.
begin() { # NAME OPTION...
  local name=$1
  shift
  "$build/bin/dipaco-run" --backend gloo --run scenarios/runs/gpu_2x2.cfg --rendezvous tcp://127.0.0.1:29461 \
    --progress on "$@" >"$out/$name.log" 2>&1 &
  started=$!
  pids+=("$started")
}

give_up() {
  tail -n 20 "$out"/*.log >&2
  fail "$*"
}

# Four paths, two workers on one GPU; a third comes when one of them is killed in the middle.
four_paths() {
  export DIPACO_CACHE=$out/cache
  say "preparing on $device"
  "$build/bin/dipaco" prepare --run scenarios/runs/gpu_2x2.cfg --device "$device" --progress off
  say "training four paths in four processes"
  begin coordinator --role coordinator --role store --role executor --out "$out/run" --events on
  local coordinator=$started victim
  begin evaluator --role evaluator --device "$device" --threads 4
  begin worker-a --role worker --device "$device" --threads 4
  begin worker-b --role worker --device "$device" --threads 4
  victim=$started
  until grep -q 'outer step 1' "$out/coordinator.log"; do
    kill -0 "$coordinator" 2>/dev/null || give_up "the coordinator ends before the first outer step"
    sleep 0.2
  done
  sleep 2
  kill -KILL "$victim"
  begin worker-c --role worker --device "$device" --threads 4
  wait "$coordinator" || give_up "the run with a killed worker fails"
  tail -n 12 "$out/coordinator.log"
  grep -E '"(arithmetic|bitwise|finished|workers_lost)"' "$out/run/summary.json"
}

nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader || true
four_paths
inner_steps --floor 0.97 --profile
inner_steps --floor 0.97 --documents 4 --rounds 2
inner_steps --loops ours --recompute --rounds 1
inner_steps --loops ours --sequence 8192 --documents 16 --batch 16 --micro-batch 4 --rounds 1
inner_steps --floor 0.97 --model 1b --batch 32 --micro-batch 8 --steps 4 --rounds 2 --profile
inner_steps --floor 0.97 --precision fp32 --batch 16 --micro-batch 8 --documents 4 --rounds 1
if [[ ${#short[@]} != 0 ]]; then fail "short of its bound: $(printf '%s; ' "${short[@]}")"; fi

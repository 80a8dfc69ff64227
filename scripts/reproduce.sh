#!/usr/bin/env bash
# The paper's comparisons at a size that two cores can train: runs every row of docs/results.md with three seeds, one process a core, and
# prints the tables, the paper's figures beside ours. What is finished is not run again, what was stopped goes on: call it again.
#
#   bash scripts/reproduce.sh [--quick] [--data GLOB] [--out DIR] [--jobs N] [--only TABLE]
#
#   --quick      one seed and a quarter of the steps: a check after a change, about 30 minutes on two cores
#   --data GLOB  JSONL files to learn from instead of the shipped corpus, one domain each
#   --only TABLE of table1, table2, table3, table5, figure11, section4.5
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$dipaco_root"

quick='' data='' out=out/tables jobs=$(nproc) only=''
while [[ $# -gt 0 ]]; do
  case $1 in
    --quick) quick=yes; shift ;;
    --data) data=${2:?--data needs a glob}; shift 2 ;;
    --out) out=${2:?--out needs a folder}; shift 2 ;;
    --jobs) jobs=${2:?--jobs needs a number}; shift 2 ;;
    --only) only=${2:?--only needs a table}; shift 2 ;;
    *) fail "unknown option $1; known are --quick, --data, --out, --jobs and --only" ;;
  esac
done
seeds=(1 2 3) outer=12 pretrain=1500
[[ -z $quick ]] || { seeds=(1) outer=6 pretrain=700; out=$out-quick; }

# TABLE|row of the table|perplexity in the paper, or -|settings; or "dense N": trained densely for N times the steps of a path;
# or "window W ROW": that row's run, evaluated with re-routing.
rows() {
  local early=$((outer / 3)) late=$((2 * outer / 3)) steps=$((outer * 50)) own='blocks:0,3;embedding'
  cat <<EOF
table1|dense, as many steps|16.23|dense 1
table1|dense, 8 times as many|14.72|dense 8
table1|DiLoCo P=8|15.02|topology.levels=shared:8
table1|DiPaCo 2x4|14.86|topology.levels=2x4 routing.reshard_at=$early
table1|flat MoE P=8|14.62|topology.levels=flat:8 routing.reshard_at=$early
table1|DiPaCo 4x4|-|topology.levels=4x4 routing.reshard_at=$early
table1|DiPaCo 4x4, path-specific|-|topology.levels=4x4 topology.path_specific=$own routing.reshard_at=$early
table2|flat MoE P=8|14.6|topology.levels=flat:8
table2|flat MoE P=16|13.9|topology.levels=flat:16
table2|flat MoE P=32|14.2|topology.levels=flat:32
table2|flat MoE P=32, overlap and early stopping|13.6|topology.levels=flat:32 routing.overlap=2 evaluate.early_stopping=on data.holdout_fraction=0.05
table3|routed once a sequence|12.39|topology.levels=4x4 topology.path_specific=$own routing.reshard_at=$early
table3|every 64 tokens|11.38|window 64 DiPaCo 4x4, path-specific
table3|every 16 tokens|11.26|window 16 DiPaCo 4x4, path-specific
table5|k-means|17.2|topology.levels=4x4
table5|product k-means|16.8|topology.levels=4x4 routing.method=product_k_means
table5|discriminative|16.5|topology.levels=4x4 routing.method=product_k_means routing.reshard_at=$early
figure11|0 phases|14.0|topology.levels=flat:16
figure11|1 phase|13.38|topology.levels=flat:16 routing.reshard_at=$early
figure11|2 phases|13.36|topology.levels=flat:16 routing.reshard_at=$early,$late
section4.5|2x2, DiLoCo's outer steps|-|topology.levels=2x2
section4.5|2x2, gradients at every step|-|topology.levels=2x2 outer.exchange=gradients inner.steps=1 outer.steps=$steps
section4.5|4x4, DiLoCo's outer steps|-|topology.levels=4x4
section4.5|4x4, gradients at every step|-|topology.levels=4x4 outer.exchange=gradients inner.steps=1 outer.steps=$steps
EOF
}

# Rows with the same settings share a run.
folder_of() { # SETTINGS SEED
  echo "$out/$(sed 's/[a-z0-9_]*\.//g; s/[^a-zA-Z0-9=]/_/g' <<<"$1")-seed$2"
}

set_options() { # SETTINGS SEED: into the array options
  options=(--run scenarios/runs/tables.cfg --seed "$2" --set "outer.steps=$outer" --set "pretrain.steps=$pretrain" --threads 1 --progress off)
  [[ -z $data ]] || options+=(--set "data.train=$data")
  local word
  for word in $1; do options+=(--set "$word"); done
}

run_row() { # SETTINGS SEED
  local settings=$1 seed=$2 folder options
  folder=$(folder_of "$settings" "$seed")
  [[ ! -f $folder/summary.json ]] || return 0
  mkdir -p "$folder"
  if [[ $settings == dense\ * ]]; then
    set_options "outer.steps=$((outer * ${settings#dense }))" "$seed"
    build/release/bin/dipaco prepare "${options[@]}" --format json >"$folder/part.json" 2>"$folder.log" && mv "$folder/part.json" "$folder/summary.json"
    return
  fi
  set_options "$settings" "$seed"
  [[ ! -d $folder/state ]] || options=(--resume "$folder" --progress off)
  [[ -d $folder/state ]] || options+=(--out "$folder")
  build/release/bin/dipaco-run --backend loopback --workers 1 "${options[@]}" >"$folder.log" 2>&1 ||
    { echo "failed: $settings, seed $seed: see $folder.log"; return 1; }
  echo "done: $settings, seed $seed"
}

window_row() { # "window W ROW" SEED
  local window row folder
  read -r _ window row <<<"$1"
  folder=$(folder_of "$(settings_of "$row")" "$2")
  [[ -f $folder/window-$window.json ]] && return
  build/release/bin/dipaco evaluate "$folder" --window "$window" --format json --threads 1 >"$folder/part.json" 2>"$folder.log" &&
    mv "$folder/part.json" "$folder/window-$window.json"
}

settings_of() { rows | awk -F'|' -v row="$1" '$2 == row { print $4; exit }'; }

perplexity_of() { # SETTINGS SEED: nothing where it is not there
  local file key=validation_perplexity window row
  file=$(folder_of "$1" "$2")/summary.json
  [[ $1 != dense\ * ]] || key=dense_equal_steps_validation_perplexity
  if [[ $1 == window\ * ]]; then
    read -r _ window row <<<"$1"
    file=$(folder_of "$(settings_of "$row")" "$2")/window-$window.json key=perplexity
  fi
  [[ ! -f $file ]] || sed -n "s/^ *\"$key\": \([0-9.eE+-]*\),\{0,1\}$/\1/p" "$file"
}

print_tables() {
  local table='' name row paper settings seed
  while IFS='|' read -r name row paper settings; do
    [[ $name == "$table" ]] || printf '\n%s\n\n| | paper | ours | seeds |\n|---|---|---|---|\n' "$name"
    table=$name
    for seed in "${seeds[@]}"; do perplexity_of "$settings" "$seed"; done |
      awk -v row="$row" -v paper="$paper" '
        { sum += $1; square += $1 * $1; ++n }
        END {
          if (n == 0) { printf "| %s | %s | not run | 0 |\n", row, paper; exit }
          mean = sum / n; spread = n > 1 ? sqrt((square - n * mean * mean > 0 ? square - n * mean * mean : 0) / (n - 1)) : 0
          printf "| %s | %s | %.2f", row, paper, mean
          if (n > 1) printf " ± %.2f", spread
          printf " | %d |\n", n
        }'
  done < <(chosen)
}

chosen() { rows | awk -F'|' -v only="$only" 'only == "" || $1 == only'; }

bash scripts/setup.sh
build_preset release
mkdir -p "$out"
start=$SECONDS
for seed in "${seeds[@]}"; do
  # The start is shared by all rows of a seed: made before they begin side by side.
  set_options "topology.levels=2x4" "$seed"
  build/release/bin/dipaco prepare "${options[@]}" >"$out/start-seed$seed.log" 2>&1 || fail "no start: see $out/start-seed$seed.log"
done
export -f run_row folder_of set_options
export out outer pretrain data
for seed in "${seeds[@]}"; do
  chosen | cut -d'|' -f4 | grep -v '^window' | awk '!seen[$0]++' | while read -r settings; do printf '%s\0%s\0' "$settings" "$seed"; done
done >"$out/rows"
# shellcheck disable=SC2016  # the inner shell expands them
xargs -0 -n 2 -P "$jobs" bash -c 'run_row "$1" "$2"' _ <"$out/rows" || echo "some rows failed"
for seed in "${seeds[@]}"; do
  chosen | cut -d'|' -f4 | { grep '^window' || true; } | while read -r settings; do window_row "$settings" "$seed"; done
done
print_tables
printf '\n%d s in this call\n' $((SECONDS - start))

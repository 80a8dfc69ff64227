#!/usr/bin/env bash
# The paper's comparisons at a size that two cores can train: runs every row of docs/results/paper-tables.md with three
# seeds, one process a core, and prints the tables, the paper's figures beside ours. If it is stopped, call it again:
# finished rows are not run again, and stopped ones continue.
#
#   bash scripts/reproduce.sh [--quick] [--data GLOB] [--out DIR] [--jobs N] [--only TABLE] [--seeds "1 2 3"]
#                             [--known FILE] [--print FILE]
#
#   --quick      one seed and a tenth of the steps: a check after a change, half an hour on two cores; in DIR-quick
#   --data GLOB  JSONL files to learn from instead of the shipped corpus, one domain each
#   --only TABLE of table1, table2, table3, table5, figure11, section4.5
#   --known FILE rows that the same program made elsewhere of the same text, and are not made again: the DIR/results.txt of a call
#   --print FILE prints the tables of a DIR/results.txt and runs nothing; with --quick those of DIR-quick's
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
called_from=$PWD
cd "$dipaco_root"

from_caller() { if [[ $1 == /* ]]; then echo "$1"; else echo "$called_from/$1"; fi; }

quick='' data='' out=out/tables jobs=$(nproc) only='' seeds='' known='' print=''
while [[ $# -gt 0 ]]; do
  case $1 in
    --quick) quick=yes; shift ;;
    --data) data=$(from_caller "${2:?--data needs a glob}"); shift 2 ;;
    --out) out=$(from_caller "${2:?--out needs a folder}"); shift 2 ;;
    --jobs) jobs=${2:?--jobs needs a number}; shift 2 ;;
    --only) only=${2:?--only needs a table}; shift 2 ;;
    --seeds) seeds=${2:?--seeds needs numbers}; shift 2 ;;
    --known) known=$(from_caller "${2:?--known needs a file}"); shift 2 ;;
    --print) print=$(from_caller "${2:?--print needs a file}"); shift 2 ;;
    *) fail "unknown option $1; known are --quick, --data, --out, --jobs, --only, --seeds, --known and --print" ;;
  esac
done
outer=30 inner=20 pretrain=3000 router_steps=2000
[[ -z $quick ]] || { seeds=${seeds:-1} outer=6 inner=10 pretrain=1500 router_steps=500 out=${out%/}-quick; }
seeds=${seeds:-1 2 3}

# TABLE|row of the table|perplexity in the paper, or -|settings; or "dense N": trained densely for N times the steps of a path;
# or "window W ROW": that row's run, evaluated with re-routing.
rows() {
  local early=$((outer / 3)) late=$((2 * outer / 3)) steps=$((outer * inner)) own='blocks:0,3;embedding'
  local grid="routing.method=product_k_means routing.reshard_at=$early"
  cat <<EOF
table1|dense, as many steps|16.23|dense 1
table1|dense, 8 times as many|14.72|dense 8
table1|DiLoCo P=8, random shards|15.08|topology.levels=shared:8 routing.method=random
table1|DiLoCo P=8, k-means shards|15.02|topology.levels=shared:8
table1|DiPaCo 2x4|14.86|topology.levels=2x4 $grid
table1|DiPaCo 2x4, path-specific|-|topology.levels=2x4 topology.path_specific=$own $grid
table1|flat MoE P=8|14.62|topology.levels=flat:8 routing.reshard_at=$early
table1|DiPaCo 4x4|-|topology.levels=4x4 $grid
table1|DiPaCo 4x4, path-specific|-|topology.levels=4x4 topology.path_specific=$own $grid
table2|flat MoE P=8|14.6|topology.levels=flat:8
table2|flat MoE P=16|13.9|topology.levels=flat:16
table2|flat MoE P=32|14.2|topology.levels=flat:32
table2|flat MoE P=32, overlap and early stopping|13.6|topology.levels=flat:32 routing.overlap=2 evaluate.early_stopping=on
table3|routed once a sequence|12.22|topology.levels=4x4 topology.path_specific=$own $grid
table3|every 64 tokens|11.38|window 64 DiPaCo 4x4, path-specific
table3|every 16 tokens|11.26|window 16 DiPaCo 4x4, path-specific
table5|k-means|17.2|topology.levels=4x4
table5|product k-means|16.8|topology.levels=4x4 routing.method=product_k_means
table5|discriminative|16.5|topology.levels=4x4 $grid
figure11|0 phases|14.0|topology.levels=flat:8
figure11|1 phase|13.38|topology.levels=flat:8 routing.reshard_at=$early
figure11|2 phases|13.36|topology.levels=flat:8 routing.reshard_at=$early,$late
section4.5|2x2, DiLoCo's outer steps|-|topology.levels=2x2
section4.5|2x2, gradients at every step|-|topology.levels=2x2 outer.policy=gradients inner.steps=1 outer.steps=$steps
section4.5|4x4, DiLoCo's outer steps|-|topology.levels=4x4
section4.5|4x4, gradients at every step|-|topology.levels=4x4 outer.policy=gradients inner.steps=1 outer.steps=$steps
EOF
}

chosen() { rows | awk -F'|' -v only="$only" 'only == "" || $1 == only'; }

settings_of() { rows | awk -F'|' -v row="$1" '$2 == row { print $4; exit }'; }

# Rows with the same settings share a run.
folder_of() { # SETTINGS SEED
  echo "$out/$(sed 's/[a-z0-9_]*\.//g; s/[^a-zA-Z0-9=]/_/g' <<<"$1")-seed$2"
}

common_options() { # SEED THREADS: into the array options
  options=(--run scenarios/runs/tables.cfg --seed "$1" --threads "$2" --progress off --set "pretrain.steps=$pretrain" --set "inner.steps=$inner")
  [[ -z $data ]] || options+=(--set "data.train=$data")
  [[ -z $quick ]] || options+=(--set routing.label_tokens=128)
}

# The paper's 24,000 steps of pretraining are 27 % of its schedule; so the start is trained as the first 27 % of a long one.
# With kernels that every processor of a maker with AVX2 has: what processors round differently grows over 3000 steps at
# this rate until starts, and the shards they give, have little in common, and no row of one could be compared with one
# of another.
make_start() { # SEED
  local options
  common_options "$1" "$threads"
  options+=(--set "outer.steps=$((pretrain * 64 / 24 / inner))" --set inner.warmup=50 --set inner.learning_rate=2e-3
    --set inner.epsilon=1e-8 --set evaluate.dense_equal_steps=off)
  MKL_CBWR=AVX2 ATEN_CPU_CAPABILITY=avx2 build/release/bin/dipaco prepare "${options[@]}" --out "$out/start-seed$1" >"$out/start-seed$1.log" 2>&1 ||
    { echo "no start of seed $1: see $out/start-seed$1.log"; return 1; }
}

# The rows go on from the start, with a cosine of their own from 83 % of the start's learning rate.
run_options() { # SETTINGS SEED: into the array options
  local start word
  start=$(realpath "$out/start-seed$2"/start-*)
  common_options "$2" 1
  options+=(--set "outer.steps=$outer" --set "pretrain.from=$start" --set "inner.warmup=$pretrain")
  for word in $1; do options+=(--set "$word"); done
}

run_row() { # SETTINGS SEED
  local settings=$1 seed=$2 begin=$SECONDS folder options
  folder=$(folder_of "$settings" "$seed")
  [[ ! -f $folder/summary.json ]] || return 0
  mkdir -p "$folder"
  if [[ $settings == dense\ * ]]; then
    run_options "outer.steps=$((outer * ${settings#dense }))" "$seed"
    build/release/bin/dipaco prepare "${options[@]}" --format json >"$folder/part.json" 2>"$folder.log" &&
      mv "$folder/part.json" "$folder/summary.json"
  elif [[ -d $folder/state ]]; then
    build/release/bin/dipaco-run --backend loopback --resume "$folder" --threads 1 --progress off >"$folder.log" 2>&1
  else
    run_options "$settings" "$seed"
    build/release/bin/dipaco-run --backend loopback --workers 1 "${options[@]}" --out "$folder" >"$folder.log" 2>&1
  fi || { echo "failed: $settings, seed $seed: see $folder.log"; return 1; }
  echo $((SECONDS - begin)) >"$folder/summary.seconds"
  echo "done: $settings, seed $seed"
}

window_rows() { # SEED: the first one trains the router, the others read it
  local window row folder settings begin
  chosen | cut -d'|' -f4 | { grep '^window' || true; } | while read -r _ window row; do
    settings=$(settings_of "$row")
    folder=$(folder_of "$settings" "$1")
    [[ ! -f $folder/window-$window.json ]] || continue
    [[ -d $folder/model ]] || rm -f "$folder/summary.json"  # known, but not here
    run_row "$settings" "$1" || return 1
    begin=$SECONDS
    build/release/bin/dipaco evaluate "$folder" --window "$window" --router-steps "$router_steps" --format json --threads "$threads" \
      >"$folder/part.json" 2>"$folder.log" || { echo "failed: window $window of seed $1: see $folder.log"; return 1; }
    echo $((SECONDS - begin)) >"$folder/window-$window.seconds"
    mv "$folder/part.json" "$folder/window-$window.json"
    echo "done: window $window, seed $1"
  done
}

place_of() { # SETTINGS SEED: of its perplexity: the key, and the file
  local window row
  if [[ $1 == window\ * ]]; then
    read -r _ window row <<<"$1"
    echo "perplexity $(folder_of "$(settings_of "$row")" "$2")/window-$window.json"
  elif [[ $1 == dense\ * ]]; then
    echo "dense_equal_steps_validation_perplexity $(folder_of "$1" "$2")/summary.json"
  else
    echo "validation_perplexity $(folder_of "$1" "$2")/summary.json"
  fi
}

perplexity_of() { # SETTINGS SEED: nothing where it is not there
  local file key
  read -r key file < <(place_of "$1" "$2")
  [[ ! -f $file ]] || sed -n "s/^  \"$key\": \([0-9.eE+-]*\),\{0,1\}$/\1/p" "$file"
}

hash_of_start() { # SEED
  sha256sum "$out/start-seed$1"/start-*/start.ckpt | cut -c 1-32
}

# A line for each start: "start", seed, hash. A line for each row and seed: settings, seed, perplexity, seconds on one core
# since it was last begun.
write_results() {
  local settings seed file key
  for seed in $seeds; do echo "start|$seed|$(hash_of_start "$seed")|"; done >"$out/results.txt"
  while IFS= read -r settings; do
    for seed in $seeds; do
      read -r key file < <(place_of "$settings" "$seed")
      [[ ! -f $file ]] || echo "$settings|$seed|$(perplexity_of "$settings" "$seed")|$(cat "${file%.json}.seconds" 2>/dev/null || true)"
    done
  done < <(rows | cut -d'|' -f4 | awk '!seen[$0]++') >>"$out/results.txt"
}

# Of the seeds of this call, whose starts check_known_starts has seen.
take_known() {
  local settings seed perplexity seconds file key
  while IFS='|' read -r settings seed perplexity seconds; do
    [[ $settings != start && " $seeds " == *" $seed "* ]] || continue
    read -r key file < <(place_of "$settings" "$seed")
    [[ ! -f $file ]] || continue
    mkdir -p "$(dirname "$file")"
    [[ -z $seconds ]] || echo "$seconds" >"${file%.json}.seconds"
    printf '{\n  "%s": %s\n}\n' "$key" "$perplexity" >"$file"
  done <"$known"
}

# Rows whose start is not named are of another one too.
check_known_starts() {
  local seed hash
  for seed in $seeds; do
    grep -q "^[^|]*|$seed|" "$known" || continue
    hash=$(sed -n "s/^start|$seed|\([^|]*\).*/\1/p" "$known")
    [[ $(hash_of_start "$seed") == "$hash" ]] ||
      fail "$known has rows of another start of seed $seed (${hash:-not named}, here $(hash_of_start "$seed")): leave them out"
  done
}

# Rows of other steps than this call's are in no table.
check_printed() { # FILE
  local settings
  while IFS= read -r settings; do
    rows | cut -d'|' -f4 | grep -qxF -e "$settings" ||
      fail "--print $1: \"$settings\" is in no table: rows of --quick are printed with --quick, others without"
  done < <(grep -v '^start|' "$1" | cut -d'|' -f1)
}

# What write_results wrote into FILE: mean and standard deviation over its seeds, and how much the mean of the dense
# baseline's is lowered.
print_tables() { # FILE
  chosen | awk -F'|' '
    NR == FNR { if ($1 != "start" && $3 != "") { perplexity[$1, $2] = $3; seeds[$2] }; next }
    FNR == 1 { print "| | | paper | ours | below dense | seeds |\n|---|---|---|---|---|---|" }
    {
      name = toupper(substr($1, 1, 1)) substr($1, 2)
      sub(/[0-9]/, " &", name)
      sum = square = dense = n = 0
      for (seed in seeds) {
        if (!(($4, seed) in perplexity) || !(("dense 1", seed) in perplexity)) continue
        sum += perplexity[$4, seed]; square += perplexity[$4, seed] ^ 2; dense += perplexity["dense 1", seed]; ++n
      }
      printf "| %s | %s | %s | ", (name == last ? "" : name), $2, $3
      last = name
      if (n == 0) { print "not run | | 0 |"; next }
      variance = n > 1 ? (square - sum * sum / n) / (n - 1) : 0
      printf "%.2f%s | ", sum / n, (n > 1 ? sprintf(" ± %.2f", variance > 0 ? sqrt(variance) : 0) : "")
      printf "%s | %d |\n", ($4 == "dense 1" ? "" : sprintf("%.1f %%", 100 * (1 - sum / dense))), n
    }' "$1" -
}

in_parallel() { # FUNCTION FILE: its lines are the arguments, separated by |
  # shellcheck disable=SC2016  # the inner shell expands them
  tr '|\n' '\0\0' <"$2" | xargs -r -0 -n "${3:-1}" -P "$jobs" bash -euo pipefail -c "$1 \"\$@\"" _ || failed=yes
}

[[ $jobs =~ ^[1-9][0-9]*$ ]] || fail "--jobs $jobs: a number of processes, such as 2"
[[ $seeds =~ ^[0-9]+(\ [0-9]+)*$ ]] || fail "--seeds \"$seeds\": numbers with spaces between, such as \"1 2 3\""
[[ -z $known || -f $known ]] || fail "--known $known: no such file"
[[ -z $data ]] || compgen -G "$data" >/dev/null || fail "--data $data: names no file"
[[ -z $print ]] || grep -q '^dense 1|[0-9]' "$print" 2>/dev/null || fail "--print $print: no file with the row \"dense 1\""
[[ -n $(chosen) ]] || fail "--only $only: tables are table1, table2, table3, table5, figure11 and section4.5"
if [[ -n $print ]]; then
  check_printed "$print"
  print_tables "$print"
  exit
fi
bash scripts/setup.sh
build_preset release
mkdir -p "$out"
# Rows of another program, text or run file are no rows of the same table.
settings="$outer $inner $pretrain $router_steps program $(find core -name '*.[ch]pp' -print0 | sort -z | xargs -0 cat | cksum)"
# shellcheck disable=SC2086  # the glob is to be expanded
settings+=" text $(IFS=; cat ${data:-scenarios/corpus/*} | cksum) run $(cksum <scenarios/runs/tables.cfg)"
[[ -f $out/settings ]] || echo "$settings" >"$out/settings"
[[ $(<"$out/settings") == "$settings" ]] ||
  fail "$out has rows of another program, other settings or another text; name another --out, or remove it"
export -f rows chosen settings_of folder_of common_options make_start run_options run_row window_rows
export quick out outer inner pretrain data only router_steps threads
start=$SECONDS failed=''
read -ra each <<<"$seeds"
threads=$((jobs > ${#each[@]} ? jobs / ${#each[@]} : 1))  # of what runs once a seed; they change no bit
tr ' ' '\n' <<<"$seeds" >"$out/seeds"
in_parallel make_start "$out/seeds"
[[ -z $failed ]] || fail "no row without its start: see above"
if [[ -n $known ]]; then
  check_known_starts
  take_known
fi
for seed in $seeds; do
  { echo 'dense 1'; chosen | cut -d'|' -f4 | { grep -v '^window' || true; }; } | awk -v seed="$seed" '!seen[$0]++ { print $0 "|" seed }'
done >"$out/rows"
in_parallel run_row "$out/rows" 2
in_parallel window_rows "$out/seeds"
write_results
print_tables "$out/results.txt"
echo $((SECONDS - start)) >>"$out/seconds"
awk '{ sum += $1 } END { printf "\n%d s in this call, %d s in all of them\n", $1, sum }' "$out/seconds"
[[ -z $failed ]] || fail "some rows failed: see above; call it again to go on"

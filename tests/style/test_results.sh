#!/usr/bin/env bash
# docs/results/paper-tables.md has the tables that its rows, docs/tables.txt, give, and reproduce.sh says what is wrong
# with its arguments before it builds anything.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

bash scripts/reproduce.sh --print docs/tables.txt >"$folder/printed"
page=docs/results/paper-tables.md
awk '/^\| \| \| paper \|/ { within = 1 } within && !/^\|/ { exit } within' "$page" >"$folder/written"
rows=$(wc -l <"$folder/printed")
[[ $rows -gt 20 ]] || { echo "only $rows lines of tables printed"; exit 1; }
diff "$folder/written" "$folder/printed" ||
  { echo "$page has other tables than its rows give: take those of scripts/reproduce.sh --print docs/tables.txt"; exit 1; }

# Two seeds, 8 and 10 against 16 and 20: mean 9, standard deviation of one degree of freedom sqrt(2), half of the dense mean.
printf '%s\n' 'start|1|abc|' 'dense 1|1|16|5' 'dense 1|2|20|5' 'topology.levels=flat:8|1|8|5' 'topology.levels=flat:8|2|10|' \
  'topology.levels=flat:16|2|12|' >"$folder/rows"
bash scripts/reproduce.sh --print "$folder/rows" --only table2 >"$folder/printed"
cat >"$folder/expected" <<'EOF'
| | | paper | ours | below dense | seeds |
|---|---|---|---|---|---|
| Table 2 | flat MoE P=8 | 14.6 | 9.00 ± 1.41 | 50.0 % | 2 |
|  | flat MoE P=16 | 13.9 | 12.00 | 40.0 % | 1 |
|  | flat MoE P=32 | 14.2 | not run | | 0 |
|  | flat MoE P=32, overlap and early stopping | 13.6 | not run | | 0 |
EOF
diff "$folder/expected" "$folder/printed"

refuses() { # WHAT IT SAYS, ARGUMENTS
  local says=$1 said
  shift
  if said=$(bash scripts/reproduce.sh "$@" 2>&1); then
    echo "reproduce.sh $*: ended with 0"
    exit 1
  fi
  [[ $said == *"$says"* ]] || { echo "reproduce.sh $*: said \"$said\", not \"$says\""; exit 1; }
}
refuses 'unknown option --fast' --fast
refuses '--jobs 0: a number' --jobs 0
refuses '--seeds "1,2": numbers with spaces' --seeds 1,2
refuses "--known $folder/none: no such file" --known "$folder/none"
refuses "--data $folder/*.jsonl: names no file" --data "$folder/*.jsonl"
refuses '--only table4: tables are' --only table4
refuses "--print $folder/none: no file with the row" --print "$folder/none"
refuses 'routing.reshard_at=10" is in no table' --quick --print docs/tables.txt

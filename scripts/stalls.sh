#!/usr/bin/env bash
# Runs a small run file with dipaco-run on two machines, which are network namespaces here: one has the coordinator, a
# store and an executor, the other two workers, over a line of 20 Mbit/s. In each run, at a drawn moment, one connection
# that carries large messages is stalled: its packets are dropped (there, back, or both ways), or a proxy acknowledges
# them and forwards nothing. The limits are the default ones. A line a run says after how many seconds the stall was
# named and the stream went on, and how long it had stood; that is less where it was idle at first. Fails where a run does
# not end with the parameters of a run in one process, where a stream stood for 30 s, or where a link was lost. Runs that
# are in FOLDER/runs.txt are not done again, so it can be ended and started anew.
#
#   bash scripts/stalls.sh [RUNS [SEED [FOLDER]]]     default 50 runs, seed 1, out/stalls
#   bash scripts/stalls.sh slow [MINUTES [RATE]]      no stall, a line of RATE (1mbit) for so long (60): fails where
#                                                     anything is called stalled or lost
#
# BUILD names the build (build/release). Needs root, iproute2, nftables and python3.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$dipaco_root"

PATH=$PATH:/usr/sbin
for tool in ip tc nft ss python3; do command -v $tool >/dev/null || fail "there is no $tool: install iproute2, nftables and python3"; done
program=$(realpath "${BUILD:-build/release}/bin/dipaco-run")
options=(--run scenarios/runs/tiny.cfg --set model.hidden=128 --set evaluate.dense_equal_steps=off --threads 1 --progress off)
# Seconds that a stream may stand, and milliseconds that a run may take.
declare -r most=30 to_end=600000
hub=dipaco-hub-$$ home=dipaco-home-$$
folder='' started=() proxy=''

clean_up() {
  local process
  for process in "${started[@]}"; do kill -KILL "$process" 2>/dev/null || true; done
  wait 2>/dev/null || true
  for space in "$hub" "$home"; do ip netns del "$space" 2>/dev/null || true; done
}
trap clean_up EXIT

clock() { printf '%d' $((${EPOCHREALTIME/./} / 1000)); }

make_machines() { # RATE
  ip netns add "$hub"
  ip netns add "$home"
  ip link add eth0 netns "$hub" type veth peer name eth0 netns "$home"
  ip -n "$hub" addr add 10.215.0.1/24 dev eth0
  ip -n "$home" addr add 10.215.0.2/24 dev eth0
  for space in "$hub" "$home"; do
    ip -n "$space" link set lo up
    ip -n "$space" link set eth0 up
    tc -n "$space" qdisc add dev eth0 root tbf rate "$1" burst 32kb latency 400ms
  done
  ip netns exec "$home" nft -f - <<'END'
table inet stalls {
  chain there { type filter hook output priority 0; }
  chain back { type filter hook input priority 0; }
}
END
}

start_proxy() { # SEED
  ip netns exec "$home" nft add table ip way
  ip netns exec "$home" nft 'add chain ip way out { type nat hook output priority -100; }'
  ip netns exec "$home" nft 'add rule ip way out meta mark != 1 ip daddr 10.215.0.1 tcp dport 29401-29409 redirect to :40000'
  coproc PROXY { exec ip netns exec "$home" python3 scripts/stall_proxy.py 40000 "$1"; }
  proxy=$PROXY_PID
  started+=("$proxy")
  until ip netns exec "$home" ss -Htln 'sport = 40000' | grep -q .; do sleep 0.1; done
}

node() { # MACHINE LOG OPTION...
  local space=$1 log=$2
  shift 2
  ip netns exec "$space" "$program" --backend gloo "${options[@]}" --rendezvous tcp://10.215.0.1:29400 \
    --interface eth0 --secret-file "$folder/secret" --out "$folder/$space" "$@" >"$folder/$log.log" 2>&1 &
  started+=($!)
}

start_nodes() { # WORKERS OPTION...
  local k workers=$1
  shift
  node "$hub" main --site hub --role coordinator --role store --role executor --listen-ports 29401-29409 "$@"
  for ((k = 1; k <= workers; ++k)); do node "$home" "worker-$k" --site home --role worker "$@"; done
}

# Ports at home and at the hub of one connection that carries large messages, as in stall_proxy.py, and moves now.
moving_connection() {
  local sample=() k
  for k in 1 2; do
    sample[k]=$(ip netns exec "$home" ss -Htinoep state established 'dst 10.215.0.1 and dport != 29400' 2>/dev/null | paste - - |
      sed -nE 's/^\S+\s+\S+\s+\S+:([0-9]+)\s+\S+:([0-9]+).*pid=([0-9]+).*\sino:([0-9]+).*/\4 \3 \1 \2 &/p' | sort -n |
      awk '!seen[$2, $4]++ { next }  # the oldest of a process with a node is the link itself, not one of its streams
           { s = r = 0; for (i = 5; i <= NF; ++i) { if ($i ~ /^bytes_acked:/) s = substr($i, 13); if ($i ~ /^bytes_received:/) r = substr($i, 16) }
             if ((s > 300000 || r > 300000) && (s < r / 200 || r < s / 200)) print $3, $4, s + r }')
    sleep 0.2
  done
  awk 'NR == FNR { was[$1] = $3; next } ($1 in was) && $3 > was[$1] { print $1, $2 }' \
    <(printf '%s\n' "${sample[1]}") <(printf '%s\n' "${sample[2]}") | shuf -n 1 --random-source=<(yes "$RANDOM")
}

# Says which connection it has stalled; fails where none moves now.
drop_one() { # WAY
  local ports
  read -r -a ports < <(moving_connection) || return 1
  [[ $1 == back ]] || ip netns exec "$home" nft add rule inet stalls there tcp sport "${ports[0]}" tcp dport "${ports[1]}" drop
  [[ $1 == there ]] || ip netns exec "$home" nft add rule inet stalls back tcp dport "${ports[0]}" tcp sport "${ports[1]}" drop
  printf 'port %s to %s\n' "${ports[@]}"
}

stall_one() { # KIND WAY
  local answer
  if [[ $1 == drop ]]; then
    drop_one "$2"
    return
  fi
  printf '%s\n' "$2" >&"${PROXY[1]}"
  read -r answer <&"${PROXY[0]}"
  [[ $answer != none ]] && printf '%s\n' "$answer"
}

named() { grep -hE 'from it (stood|broke)' "$folder"/*.log | head -n 1 || true; }

named_as() { # TEXT VERDICT
  if [[ $1 ]]; then printf '%s' "${1##*: }"; else printf '%s' "$2"; fi
}

all_over() {
  local process
  for process in "${started[@]}"; do
    if [[ $process != "$proxy" ]] && kill -0 "$process" 2>/dev/null; then return 1; fi
  done
}

hash_in() { grep -oP '"parameters_hash": "\K[^"]+' "$1" || true; }

reference() {
  [[ -f $folder/reference/summary.json ]] && return
  "$program" --backend loopback "${options[@]}" --workers 2 --out "$folder/reference" >"$folder/reference.log" 2>&1 ||
    fail "the run in one process fails: $folder/reference.log"
}

prepare() { # FOLDER
  folder=$1
  mkdir -p "$folder"
  [[ -f $folder/secret ]] || head -c 32 /dev/urandom | base64 >"$folder/secret"
  reference
}

one_run() { # NUMBER SEED
  local kinds=(drop drop proxy) ways=(there back both) kind way after begun stalled='' which='' text='' took='' stood
  local verdict=ok
  RANDOM=$(($2 * 1000 + $1))
  kind=${kinds[RANDOM % 3]} way=${ways[RANDOM % 3]} after=$((RANDOM % 15000))
  rm -rf "${folder:?}/${hub:?}" "${folder:?}/${home:?}" "${folder:?}"/{main,worker-?}.log
  started=() proxy=''
  make_machines 20mbit
  if [[ $kind == proxy ]]; then start_proxy "$RANDOM"; fi
  start_nodes 2
  until grep -q 'worker on' "$folder/main.log" 2>/dev/null; do sleep 0.1; done
  begun=$(clock)
  until all_over; do
    sleep 0.1
    (($(clock) < begun + to_end)) || { verdict='no end' && break; }
    if [[ ! $stalled ]] && (($(clock) >= begun + after)) && which=$(stall_one "$kind" "$way"); then stalled=$(clock); fi
    if [[ $stalled && ! $took ]]; then
      text=$(named)
      if [[ $text ]]; then took=$(($(clock) - stalled)); fi
    fi
  done
  if [[ ! $stalled ]]; then
    verdict='nothing moved from that moment on'
  elif [[ ! $took ]]; then
    verdict='that stream was not needed again'
  fi
  stood=$(sed -nE 's/.* stood for ([0-9]+)\..*/\1/p' <<<"$text")
  [[ ! $took ]] || ((${stood:-0} < most)) || verdict='too late'
  ! grep -q 'is lost' "$folder"/*.log || verdict='a link was lost'
  [[ $(hash_in "$folder/$hub/summary.json") == $(hash_in "$folder/reference/summary.json") ]] || verdict='other parameters'
  clean_up
  case $verdict in
    ok | nothing* | that*) ;;
    *) fail "run $1, $kind $way, ${which:-nothing}: $verdict; what the processes wrote is in $folder" ;;
  esac
  printf '%3d  %-5s %-5s  %-62s mended after %5s s, same parameters; %s\n' "$1" "$kind" "$way" "${which:-}" \
    "$(awk -v ms="${took:-0}" 'BEGIN { printf "%.1f", ms / 1000 }')" "$(named_as "$text" "$verdict")" |
    sed 's/; it goes on from.*//' | tee -a "$folder/runs.txt"
}

stalls() { # RUNS SEED FOLDER
  local run
  prepare "$3"
  touch "$folder/runs.txt"
  for ((run = 1; run <= $1; ++run)); do
    grep -qE "^ *$run  " "$folder/runs.txt" || one_run "$run" "$2"
  done
  say "stalls: $(wc -l <"$folder/runs.txt") runs, all with the parameters of one process; in" \
    "$(grep -c ' stood for ' "$folder/runs.txt") a stream stood, for" \
    "$(grep -oP 'stood for \K[0-9.]+' "$folder/runs.txt" | sort -n | awk '{ t[NR] = $1 } END { print t[1] " to " t[NR] " s, median " t[int((NR + 1) / 2)] }')"
}

slow() { # MINUTES RATE
  local until_ms
  options+=(--set outer.steps=100000)
  folder=$(mktemp -d)
  head -c 32 /dev/urandom | base64 >"$folder/secret"
  make_machines "$2"
  start_nodes 4
  until_ms=$(($(clock) + $1 * 60000))
  while (($(clock) < until_ms)); do
    sleep 5
    ! all_over || fail "a process has ended: $folder"
    ! grep -hE 'stood|broke|is lost|is gone' "$folder"/*.log || fail "on a line of $2 that carries all, something is called stalled or lost: $folder"
  done
  say "slow: $1 minutes at $2, four workers: nothing was called stalled or lost;" \
    "$(ip -n "$hub" -s link show eth0 | awk '/RX:/ { getline; print $1 }') bytes came to the hub"
  rm -rf "$folder"
}

if [[ ${1:-} == slow ]]; then
  slow "${2:-60}" "${3:-1mbit}"
else
  stalls "${1:-50}" "${2:-1}" "${3:-out/stalls}"
fi

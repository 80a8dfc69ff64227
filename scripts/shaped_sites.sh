# shellcheck shell=bash disable=SC2034,SC2154  # names of who sources it
# Sites that are network namespaces with limited lines to a hub, and processes of a run in them: for real_vs_sim.sh,
# unequal_lines.sh and real_wan_bytes.sh. Who sources it has $bin, and $run and the array run_file for each run. What is made here goes at the
# end, but with KEEP the folder $work.

for tool in ip tc; do command -v $tool >/dev/null || fail "there is no $tool: install iproute2"; done
work=$(mktemp -d)
hub=dipaco-hub-$$
namespaces=("$hub") started=()
end() {
  [[ ${#started[@]} -eq 0 ]] || kill -9 "${started[@]}" 2>/dev/null || true
  for name in "${namespaces[@]}"; do ip netns del "$name" 2>/dev/null || true; done
  [[ -n ${KEEP:-} ]] || rm -rf "$work"
}
trap end EXIT
head -c 32 /dev/urandom | base64 >"$work/secret"
limit=6 # liveness.limit of the runs, in seconds

# Limits what leaves a namespace by a device.
shape() { # NAMESPACE DEVICE RATE
  ip -n "$1" link set lo up
  # Packets as on a line: whole segments of 64 KB would fill its queue by fours.
  ip -n "$1" link set "$2" gso_max_segs 1 up
  ip netns exec "$1" tc qdisc add dev "$2" root tbf rate "$3" burst 16k latency 50ms
}

# A site, and its line to the hub and back.
add_site() { # SITE RATE
  local name=dipaco-$1-$$
  sites+=("$1")
  namespaces+=("$name")
  ip netns add "$name"
  ip link add wan netns "$name" type veth peer name "to-$1" netns "$hub"
  ip -n "$name" addr add "10.214.0.${#sites[@]}/24" dev wan
  ip -n "$hub" link set "to-$1" master bridge
  shape "$name" wan "$2"
  shape "$hub" "to-$1" "$2"
  # Linux's default, whatever this machine has.
  ip -n "$name" route replace 10.214.0.0/24 dev wan congctl cubic
}

# A network of these sites, and nothing in it yet.
begin_network() { # SITE RATE...
  local name
  for name in "${namespaces[@]}"; do ip netns del "$name" 2>/dev/null || true; done
  namespaces=("$hub") sites=() processes=()
  learns=no spacing=0.5 known_lines=off
  ip netns add "$hub"
  ip -n "$hub" link add bridge type bridge
  ip -n "$hub" link set bridge up
  for (( ; $# > 0; )); do
    add_site "$1" "$2"
    shift 2
  done
}

# The first one coordinates.
add_process() { # SITE STEP-TIME|learns ROLE...
  processes+=("$*")
}

# Starts PROCESS (its line) with dipaco-run and more words, within its site; `log` gets what it says.
start() { # LINE LOG WORD...
  local line log=$2 role roles=()
  read -ra line <<<"$1"
  shift 2
  for role in "${line[@]:2}"; do roles+=(--role "$role"); done
  ip netns exec "dipaco-${line[0]}-$$" "$bin/dipaco-run" "$@" "${roles[@]}" --site "${line[0]}" --interface wan \
    --rendezvous tcp://10.214.0.1:29400 --secret-file "$work/secret" --progress off >"$log.out" 2>"$log.log" &
  started+=($!)
}

step_time() { # LINE
  local line
  read -ra line <<<"$1"
  [[ ${line[1]} == learns || " ${line[*]:2} " != *" worker "* ]] || printf -- '--step-time %s' "${line[1]}"
}

# One after the other, so that they are numbered as in the simulation: the first store serves sites without one, the
# first worker gets the first path. A run begins when the last one, with the executor, is there.
start_all() { # LOGS WORD...
  local logs=$1 k
  shift
  started=()
  for k in "${!processes[@]}"; do
    local own=()
    [[ $k -gt 0 ]] || own=("${of_coordinator[@]}")
    # shellcheck disable=SC2046  # two words or none
    start "${processes[$k]}" "$logs.$k" "$@" "${own[@]}" $(with_step_time "${processes[$k]}")
    sleep "$spacing"
  done
}

wait_for_all() {
  local pid
  for pid in "${started[@]}"; do wait "$pid" || fail "a process has failed: $(tail -n 3 "$work/$run".*.log)"; done
  started=()
}

number_of() { # KEY FILE
  sed -nE "s/^ *\"$1\": ([0-9.e+-]+),?$/\1/p" "$2"
}

preflight() {
  local of_coordinator=(--processes "${#processes[@]}" --scenario-out "$work/$run.xml")
  [[ $known_lines == off ]] || of_coordinator+=(--format json)
  with_step_time() { step_time "$1"; }
  start_all "$work/$run.preflight" preflight
  wait_for_all
  sed 's/^/    /' "$work/$run.preflight.0.out" >"$work/$run.matrix"
}

real() {
  local stores=0 line of_coordinator learn=(--learn off)
  for line in "${processes[@]}"; do [[ $line != *store* ]] || ((++stores)); done
  of_coordinator=(--expect "executors=1,stores=$stores" --events on)
  [[ $known_lines == off ]] || of_coordinator=(--events on --lines "$work/$run.preflight.0.out"
    --expect "executors=1,stores=$stores,workers=$(printf '%s\n' "${processes[@]}" | grep -c ' worker')")
  with_step_time() {
    [[ $learns == yes ]] || printf -- '--step-time %s' "$(cut -d' ' -f2 <<<"$1")"
  }
  [[ $learns == no ]] || learn=(--threads 1)
  start_all "$work/$run.real" --backend gloo --run scenarios/runs/tiny.cfg "${run_file[@]}" "${learn[@]}" --out "$work/$run-real"
  if [[ -n ${lost_site:-} ]]; then
    sleep "$lost_after"
    ip -n "dipaco-$lost_site-$$" link set wan down
    kill -9 "${started[$lost]}"
    wait "${started[$lost]}" 2>/dev/null || true
    unset "started[$lost]"
  fi
  wait_for_all
}

# What an inner step took at each site where workers learned, into the scenario.
put_step_times() {
  local site seconds
  for site in "${sites[@]}"; do
    seconds=$(awk -F, -v site="$site" 'NR == 1 { for (c = 1; c <= NF; ++c) at[$c] = c }
      $at["site"] == site { s += $at["compute_s"]; n += $at["inner_steps"] } END { if (n) printf "%.6f", s / n }' \
      "$work/$run-real/workers.csv")
    [[ -z $seconds ]] || sed -i "/<zone id=\"$site\"/,/<host/ s|<host|<prop id=\"step_time\" value=\"${seconds}s\"/>\n      <host|" "$work/$run.xml"
  done
}

simulated() {
  local more=()
  [[ $learns == no ]] || put_step_times
  if [[ -n ${lost_site:-} ]]; then
    # It was missed after the limit.
    local workers at
    workers=$(($(grep -c '"role" value=".*worker' "$work/$run.xml") - 1))
    at=$(awk -F, -v limit="$limit" '$2 == "node_down" { print $1 - limit; exit }' "$work/$run-real/events.csv")
    more=(--set "faults.kill=worker:$workers@time=${at}s")
  fi
  "$bin/dipaco-sim" "$work/$run.xml" --run scenarios/runs/tiny.cfg "${run_file[@]}" "${more[@]}" --learn off --progress off --events on \
    --set "run.known_lines=$known_lines" \
    --out "$work/$run-sim" >"$work/$run.sim.out" 2>"$work/$run.sim.log" || fail "$(tail -n 3 "$work/$run.sim.log")"
}

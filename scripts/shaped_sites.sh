# shellcheck shell=bash disable=SC2034,SC2154  # names of who sources it
# Sites that are network namespaces with limited lines to a hub, and processes of a run in them: for real_vs_sim.sh. Who
# sources it has $bin, $work with a file `secret`, $run, $hub, and arrays `namespaces` and `started`, and removes what is
# in both at its end.

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

#!/usr/bin/env bash
# A run on two machines, which are network namespaces here: one has the coordinator, a store and an executor, its firewall
# lets a few ports through, and its own name leads to 127.0.1.1 on itself, as Debian has it; to the other, with the workers,
# nobody gets from outside. Sees that the run ends with the parameters of a run in one process.
#
#   bash scripts/try_sites.sh [BUILD]           default build/release; needs root, iproute2 and nftables
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$dipaco_root"

PATH=$PATH:/usr/sbin
for tool in ip nft; do command -v $tool >/dev/null || fail "there is no $tool: install iproute2 and nftables"; done
bin=$(realpath "${1:-build/release}/bin")
run=scenarios/runs/tiny.cfg
folder=$(mktemp -d)
hub=dipaco-hub-$$ home=dipaco-home-$$
started=()

clean_up() {
  local status=$? process
  for process in "${started[@]}"; do kill -KILL "$process" 2>/dev/null || true; done
  wait
  for space in "$hub" "$home"; do ip netns del "$space" 2>/dev/null || true; done
  [[ $status == 0 ]] || tail -n 30 "$folder"/*.log >&2 || true
  rm -rf "$folder"
}
trap clean_up EXIT

make_machines() {
  ip netns add "$hub"
  ip netns add "$home"
  ip link add eth0 netns "$hub" type veth peer name eth0 netns "$home"
  ip -n "$hub" addr add 10.214.0.1/24 dev eth0
  ip -n "$home" addr add 10.214.0.2/24 dev eth0
  for space in "$hub" "$home"; do
    ip -n "$space" link set lo up
    ip -n "$space" link set eth0 up
    ip netns exec "$space" nft -f - <<END
table inet gate {
  chain in {
    type filter hook input priority 0; policy drop;
    iif lo accept
    ct state established,related accept
    $([[ $space == "$home" ]] || echo "tcp dport 29400-29404 accept")
  }
}
END
  done
  ip -n "$hub" route add default via 10.214.0.2
  printf '127.0.0.1 localhost\n127.0.1.1 hub\n' >"$folder/$hub.hosts"
  printf '127.0.0.1 localhost\n10.214.0.1 hub\n' >"$folder/$home.hosts"
}

# A process on a machine, with its own /etc/hosts and host name.
node() { # MACHINE LOG OPTION...
  local space=$1 log=$2
  shift 2
  # shellcheck disable=SC2016  # expanded by the inner shell
  ip netns exec "$space" unshare --uts --mount --propagation private bash -c '
    set -e
    mount --bind "$1" /etc/hosts
    hostname "$2"
    shift 2
    exec "$@"' node "$folder/$space.hosts" "${space%-*}" \
    "$bin/dipaco-run" --backend gloo --run "$run" --rendezvous tcp://hub:29400 --out "$folder/$space" --threads 1 \
    --progress off "$@" >"$folder/$log.log" 2>&1 &
  started+=($!)
}

hash_in() { grep -oP '"parameters_hash": "\K[^"]+' "$1"; }

make_machines
head -c 32 /dev/urandom | base64 >"$folder/secret"
common=(--secret-file "$folder/secret")
node "$home" worker-1 "${common[@]}" --site home --role worker
node "$home" worker-2 "${common[@]}" --site home --role worker
node "$hub" main "${common[@]}" --site hub --role coordinator --role store --role executor --listen-ports 29401-29404 \
  --reached-at hub
for process in "${started[@]}"; do
  timeout 120 tail --pid="$process" -f /dev/null || fail "the run has no end"
  wait "$process" || fail "a process ended with status $?"
done
started=()
"$bin/dipaco-run" --backend loopback --run "$run" --out "$folder/loopback" --progress off >/dev/null
ours=$(hash_in "$folder/$hub/summary.json") theirs=$(hash_in "$folder/loopback/summary.json")
[[ $ours == "$theirs" ]] || fail "two machines ended with the parameters $ours, one process with $theirs"
say "through two firewalls, the parameters of one process ($ours), in $SECONDS s"

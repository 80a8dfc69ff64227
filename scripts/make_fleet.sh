#!/usr/bin/env bash
# Prints a scenario of many equal sites, to see what the simulator costs: each site has some workers, an executor and a
# store, and one link to a backbone. The coordinator is at the first site's store.
#
#   bash scripts/make_fleet.sh SITES HOSTS_A_SITE RUN_FILE > FLEET.xml     e.g. 100 100 "$PWD/scenarios/runs/fleet_10k.cfg"
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[[ $# == 3 && $1 =~ ^[1-9][0-9]*$ && $2 =~ ^[1-9][0-9]*$ && $2 -gt 2 ]] ||
  fail "usage: make_fleet.sh SITES HOSTS_A_SITE RUN_FILE, of at least 3 hosts: a worker, an executor and a store"

cat <<EOF
<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<!-- $1 sites of $2 machines, made by scripts/make_fleet.sh. Choice: eight A100 a machine, a 400 Gbit/s adapter each,
     100 Gbit/s from a site to the backbone, 20 ms to it. -->
<platform version="4.1">
  <zone id="fleet" routing="Floyd">
    <prop id="run" value="$3"/>
    <prop id="coordinator" value="s0-$(($2 - 1))"/>
    <prop id="tcp_streams" value="16"/>
    <prop id="tcp_window" value="32MiB"/>
EOF
awk -v sites="$1" -v hosts="$2" 'BEGIN {
  for (s = 0; s < sites; ++s) {
    printf "    <cluster id=\"s%d\" prefix=\"s%d-\" suffix=\"\" radical=\"0-%d\" speed=\"2496Tf\" bw=\"400Gbps\" lat=\"50us\"\n", s, s, hosts - 1
    printf "             router_id=\"s%d-gateway\">\n", s
    printf "      <prop id=\"workers\" value=\"s%d-[0-%d]\"/>\n", s, hosts - 3
    printf "      <prop id=\"executors\" value=\"s%d-%d\"/>\n      <prop id=\"store\" value=\"s%d-%d\"/>\n", s, hosts - 2, s, hosts - 1
    printf "      <prop id=\"mfu\" value=\"0.45\"/>\n    </cluster>\n"
  }
  printf "    <zone id=\"backbone\" routing=\"None\"><router id=\"core\"/></zone>\n"
  for (s = 0; s < sites; ++s) {
    printf "    <link id=\"s%d-uplink\" bandwidth=\"100Gbps\" latency=\"20ms\" sharing_policy=\"SPLITDUPLEX\"/>\n", s
  }
  for (s = 0; s < sites; ++s) {
    printf "    <zoneRoute src=\"s%d\" dst=\"backbone\" gw_src=\"s%d-gateway\" gw_dst=\"core\" symmetrical=\"NO\">\n", s, s
    printf "      <link_ctn id=\"s%d-uplink\" direction=\"UP\"/></zoneRoute>\n", s
    printf "    <zoneRoute src=\"backbone\" dst=\"s%d\" gw_src=\"core\" gw_dst=\"s%d-gateway\" symmetrical=\"NO\">\n", s, s
    printf "      <link_ctn id=\"s%d-uplink\" direction=\"DOWN\"/></zoneRoute>\n", s
  }
}'
printf '  </zone>\n</platform>\n'

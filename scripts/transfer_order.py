#!/usr/bin/env python3
"""The order in which large messages between sites came, of a real run and of its simulation, side by side.

    python3 scripts/transfer_order.py REAL SIMULATED [LINES]

Both folders are of runs with --events on. Prints when each message came in both, and what it was, LINES of them (all),
and last how many pairs of messages came in the same order in both. A message is told by its kind, its sender and its
receiver, and by how many such came before it.
"""

import collections
import csv
import itertools
import json
import pathlib
import re
import sys

LARGE = 64 * 1024  # bytes; smaller ones wait for no line


def nodes_of(folder):
    """Name and site of each node: "worker b.1" is the second worker of site b."""
    trace = json.loads((folder / "trace.json").read_text())
    counts, nodes = collections.Counter(), {}
    for event in trace["traceEvents"]:
        found = event.get("name") == "thread_name" and re.fullmatch(r"(\w+) (\d+) @ ([^,]+), [^:]*", event["args"]["name"])
        if found:
            role, number, site = found.groups()
            nodes[number] = (f"{role} {site}.{counts[role, site]}", site)
            counts[role, site] += 1
    return nodes


def arrivals(folder):
    """When each large message between sites came, by what it is."""
    nodes, seen, came = nodes_of(folder), collections.Counter(), {}
    with open(folder / "events.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["event"] != "transfer" or int(row["bytes"]) < LARGE:
                continue
            (sender, from_site), (receiver, to_site) = nodes[row["peer"]], nodes[row["node"]]
            if from_site != to_site:
                what = f"{row['message']}, {sender} to {receiver}"
                seen[what] += 1
                came[f"{what}, {seen[what]}"] = float(row["time_s"])
    return came


def main():
    real, simulated = (arrivals(pathlib.Path(folder)) for folder in sys.argv[1:3])
    most = int(sys.argv[3]) if len(sys.argv) > 3 else None
    print("   real  simulated")
    everything = sorted(real | simulated, key=lambda what: real.get(what, simulated.get(what)))
    for what in everything[:most]:
        times = " ".join(f"{run[what]:7.1f} s" if what in run else f"{'-':>9}" for run in (real, simulated))
        print(f"{times}  {what}")
    both = [what for what in everything if what in real and what in simulated]
    pairs = list(itertools.combinations(both, 2))
    same = sum((real[one] < real[other]) == (simulated[one] < simulated[other]) for one, other in pairs)
    print(f"{len(real)} messages in the real run, {len(simulated)} in the simulation, {len(both)} in both; of these"
          f" {100 * same / len(pairs) if pairs else 100:.1f} % of all pairs came in the same order")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""A row of real_wan_bytes.sh: the bytes between four sites of a real run, of a simulated one, and by arithmetic from the
sizes of the real run's messages. Ends with status 1 where the real run is off by more than 2 % of arithmetic.

    python3 scripts/wan_arithmetic.py WAY GRID STEPS REAL SIMULATED    WAY: spread placed cached summed
"""

import json
import pathlib
import sys

SITES = 4
MOST = 0.02


def size(run, kind):
    return run["bytes_" + kind] / run["messages_" + kind]


def arithmetic(way, run, grid, steps):
    """Of a grid of GRID x GRID paths, a quarter of them at each site, as a square: a module has paths at two sites."""
    paths = grid * grid
    gradient, version = size(run, "outer_gradient"), size(run, "module")
    crossing = 2 * paths * (SITES - 1) / SITES if way == "spread" else 2 * paths / 2
    versions = crossing if way in ("spread", "placed") else 2 * grid
    moved = steps * crossing * gradient + (steps - 1) * versions * version
    if way == "summed":
        # An outer gradient goes to its site's store, and on from there unless it is in a sum.
        added = 2 * steps * crossing - run["messages_relayed_gradient"]
        moved += run.get("bytes_gradient_sum", 0) - added * gradient
    return moved


def main():
    way, grid, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    real, simulated = (json.loads((pathlib.Path(folder) / "summary.json").read_text()) for folder in sys.argv[4:])
    expected = arithmetic(way, real, grid, steps)
    off = real["wan_bytes"] / expected - 1
    print(f"| {way} | {real['wan_bytes'] / 1e6:.2f} | {simulated['wan_bytes'] / 1e6:.2f} | {expected / 1e6:.2f} ({100 * off:+.1f} %) |",
          flush=True)
    if real["tasks_requeued"] > 0:
        sys.exit(f"{way}: {real['tasks_requeued']} tasks were requeued")
    return 1 if abs(off) > MOST else 0


if __name__ == "__main__":
    sys.exit(main())

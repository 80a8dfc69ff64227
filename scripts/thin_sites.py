#!/usr/bin/env python3
"""What a cache and sums at each site save on thin links, and what it saves to know the lines: the runs of thin_links.py
without all that, with caches (run.site_cache), with sums, too (run.site_sums), and with known lines (run.known_lines).
Prints a row a run; ends with status 1 where one with them moves more bytes between sites than one without, or takes more
than 1.02 times as long.

    python3 scripts/thin_sites.py [--bin build/release/bin] [--steps 4] [--sites mesh] [RATE...]    RATE: 1Mbps 50Mbps 1Gbps
"""

import json
import sys

from thin_links import WAYS, arguments, run_simulator, scenarios

MOST_TIME = 1.02


def main():
    asked = arguments(__doc__, 4).parse_args()
    failed = False
    print("| sites | rate | GB between sites | caches | sums, too | known lines, too | duration | caches | sums, too | known lines, too |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, rate, scenario in scenarios(asked):
        moved, took = [], []
        for way, settings in WAYS.items():
            why = run_simulator(asked, scenario, scenario.parent / way, settings)
            if why:
                sys.exit(f"{name} at {rate}, {way}: {why}")
            summary = json.loads((scenario.parent / way / "summary.json").read_text())
            moved.append(summary["wan_bytes"])
            took.append(summary["simulated_s"])
        bad = max(moved) > moved[0] or max(took) > MOST_TIME * took[0]
        failed = failed or bad
        cells = [f"{each / 1e9:.1f}" for each in moved] + [f"{each:,.0f} s" for each in took]
        print(f"| {name} | {rate} | {' | '.join(cells)}{' **' if bad else ''} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""What does the paper's largest run take on fewer machines? scenarios/paper_16x16.xml from 256 machines down.

256 paths, 427 outer steps of 150 inner steps; each of the four sites has so many of its 64 machines. Beside it, one model
trained data-parallel on all of them, as many steps of the batches of all paths. Nothing is learned.

    python3 scripts/paper_fleet_study.py FOLDER [--bin build/release/bin] [--check docs/studies/paper-fleet.md]

See timing_study.py.
"""

from timing_study import ROOT, Table, draw_curves, gigabytes, main

SCENARIO = ROOT / "scenarios/paper_16x16.xml"
SITES = ("iowa", "carolina", "oregon", "eemshaven")
COUNTS = [64, 32, 16, 8, 4, 2, 1]
COLUMNS = ["machines a site", "duration", "goodput", "between sites", "USD", "data-parallel", "between sites", "USD"]


class Fleets:
    def __init__(self, simulator):
        self.simulator = simulator
        self.points = {"DiPaCo": [], "data-parallel": []}

    def cells(self, count):
        # Machines that do nothing are not rented: stores and executors are among the workers.
        files = f"[0-{min(count, 16) - 1}]"
        settings = [f"zone:{site}.workers={site}-[0-{count - 1}]" for site in SITES]
        settings += [f"zone:{site}.{role}={site}-{files}" for site in SITES for role in ("executors", "store")]
        cells = []
        for method, told in (
            ("DiPaCo", self.simulator.run(SCENARIO, settings)),
            ("data-parallel", self.simulator.data_parallel(SCENARIO, settings)),
        ):
            days = told["simulated_s"] / 86400
            self.points[method].append((days, told["usd"]))
            more = [f"{100 * told['goodput']:.0f} %"] if method == "DiPaCo" else []
            cells += [f"{days:.2f} days", *more, gigabytes(told["wan_bytes"]), f"{told['usd']:,.0f}"]
        return cells

    def tables(self):
        return [Table("The paper's 16x16", COLUMNS, COUNTS, self.cells)]

    def picture(self, folder):
        axes = 'set logscale x\nset xlabel "days"\nset ylabel "USD"\nset yrange [0:]'
        draw_curves(folder, "paper-fleet", axes, {"the paper's 16x16": self.points})


if __name__ == "__main__":
    main(__doc__, Fleets)

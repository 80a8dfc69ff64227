#!/usr/bin/env python3
"""Is a slow site worth having? scenarios/wan_4dc.xml with and without Tokyo, which gets slower and slower.

16 paths (4x4), so that there is work for all ten machines. Tokyo's two train at a share of the mfu that the scenario
says. No machine is taken away; nothing is learned.

    python3 scripts/slow_site_study.py FOLDER [--bin build/release/bin] [--check docs/studies/slow-site.md]

See timing_study.py.
"""

from fractions import Fraction

from bandwidth_study import SCENARIO, SITES, STAY
from timing_study import Table, draw_curves, main

MFU = 0.25  # the scenario's, of an L4
SHARES = ["2", "1", "1/2", "1/4", "1/8", "1/16"]
METHODS = {
    "first free": ["run.schedule=first_free"],
    "first free, backups": ["run.schedule=first_free", "run.backup_tasks=on"],
    "earliest finish": [],
    "asynchronous, DyLU": ["outer.policy=asynchronous", "inner.dylu=on", "evaluate.every=0"],
}


class SlowSites:
    def __init__(self, simulator):
        self.simulator = simulator
        self.points = {method: [] for method in METHODS}

    def cells(self, share):
        value = float(Fraction(share))
        mfu = [f"host:tokyo-{k}.mfu={MFU * value}" for k in (0, 1)]
        settings = STAY + mfu + ["topology.levels=4x4"]
        cells = []
        for method, more in METHODS.items():
            took = self.simulator.repeated(SCENARIO, SITES, settings + more)["simulated_s"]
            without = self.simulator.repeated(SCENARIO, SITES, settings + more, without=("tokyo",))["simulated_s"]
            self.points[method].append((value, took.median / 3600))
            cells.append(f"{took.text('.1f', 60)} min, {round(100 * (without.median / took.median - 1)):+d} %")
        return cells

    def tables(self):
        return [Table("With Tokyo (and without it)", ["Tokyo's speed", *METHODS], SHARES, self.cells)]

    def picture(self, folder):
        axes = 'set logscale x 2\nset logscale y\nset xlabel "Tokyo\'s speed, of the scenario\'s"\nset ylabel "simulated hours"'
        draw_curves(folder, "slow-site", axes, {"with Tokyo": self.points})


if __name__ == "__main__":
    main(__doc__, SlowSites)

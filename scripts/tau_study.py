#!/usr/bin/env python3
"""How many inner steps between exchanges (tau)? Time and bytes on scenarios/wan_4dc.xml and on thin lines.

3,000 inner steps a path in all, for each tau; no machine is taken away. DiPaCo is the scenario's run, and in DiLoCo all
eight paths share one model. Nothing is learned: docs/results/diloco.md has what tau does to the perplexity.

    python3 scripts/tau_study.py FOLDER [--bin build/release/bin] [--check docs/studies/tau.md]

See timing_study.py.
"""

from bandwidth_study import DILOCO, SCENARIO, SITES, STAY
from timing_study import Table, draw_curves, main, spread_gigabytes, spread_hours

TAUS = [10, 30, 75, 150, 300, 750, 1500]
STEPS = 3000
LINES = {"the scenario's lines": None, "all lines of 50 Mbit/s": "50Mbps"}


class Taus:
    def __init__(self, simulator):
        self.simulator = simulator
        self.points = {lines: {"DiPaCo": [], "DiLoCo": []} for lines in LINES}

    def cells(self, lines, tau):
        settings = STAY + [f"charge.steps={tau}", f"outer.steps={STEPS // tau}"]
        if LINES[lines]:
            pairs = [(site, other) for k, site in enumerate(SITES) for other in SITES[k + 1 :]]
            settings += [f"link:{site}-{other}.bandwidth={LINES[lines]}" for site, other in pairs]
        cells = []
        for method, more in (("DiPaCo", []), ("DiLoCo", DILOCO)):
            figures = self.simulator.repeated(SCENARIO, SITES, settings + more)
            self.points[lines][method].append((tau, figures["simulated_s"].median / 3600))
            cells += [spread_hours(figures), spread_gigabytes(figures)]
        return cells

    def tables(self):
        columns = ["tau", "DiPaCo", "between sites", "DiLoCo", "between sites"]
        return [Table(lines, columns, TAUS, lambda tau, lines=lines: self.cells(lines, tau)) for lines in LINES]

    def picture(self, folder):
        draw_curves(folder, "tau", 'set logscale xy\nset xlabel "tau"\nset ylabel "simulated hours"', self.points)


if __name__ == "__main__":
    main(__doc__, Taus)

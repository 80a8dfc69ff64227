#!/usr/bin/env python3
"""Where do executors go? scenarios/paper_16x16.xml with one executor, with many, and with what sites do for themselves.

20 outer steps of the paper's 256 paths on 256 machines of four sites, with lines of 10 Gbit/s between them and thinner
ones. Nothing is learned.

    python3 scripts/executors_study.py FOLDER [--bin build/release/bin] [--check docs/studies/executors.md]

See timing_study.py.
"""

from timing_study import ROOT, Table, draw_curves, main, spread_gigabytes

SCENARIO = ROOT / "scenarios/paper_16x16.xml"
SITES = ("iowa", "carolina", "oregon", "eemshaven")
RATES = ["10Gbps", "1Gbps", "300Mbps"]
ALONE = [f"zone:{site}.executors=" for site in SITES[1:]]
PLAIN = ["run.site_cache=off"]
CHOICES = {
    "one": ALONE + ["zone:iowa.executors=iowa-0", "run.place=spread"] + PLAIN,
    "16 at one site": ALONE + ["run.place=spread"] + PLAIN,
    "16 at each site": ["run.place=spread"] + PLAIN,
    "and where their paths are": PLAIN,
    "and versions go to a site once": ["run.site_sums=off"],
    "and sites add outer gradients": [],
}


class Executors:
    def __init__(self, simulator):
        self.simulator = simulator
        self.points = {choice: [] for choice in CHOICES}

    def cells(self, choice):
        cells = []
        for rate in RATES:
            pairs = [(site, other) for k, site in enumerate(SITES) for other in SITES[k + 1 :]]
            settings = [f"link:{site}-{other}.bandwidth={rate}" for site, other in pairs] + CHOICES[choice]
            figures = self.simulator.repeated(SCENARIO, SITES, settings + ["outer.steps=20"])
            took = figures["simulated_s"]
            self.points[choice].append((float(rate[:-4]) * {"M": 1, "G": 1000}[rate[-4]], took.median / 60))
            cells.append(f"{took.text(',.0f', 60)} min, {spread_gigabytes(figures)}")
        return cells

    def tables(self):
        return [Table("20 outer steps", ["executors", *RATES], list(CHOICES), self.cells)]

    def picture(self, folder):
        axes = 'set logscale xy\nset xlabel "Mbit/s between sites"\nset ylabel "simulated minutes"'
        draw_curves(folder, "executors", axes, {"20 outer steps of 256 paths": self.points})


if __name__ == "__main__":
    main(__doc__, Executors)

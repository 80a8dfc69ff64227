#!/usr/bin/env python3
"""How thin may lines between sites be? DiPaCo, DiLoCo and data-parallel training on scenarios/wan_4dc.xml.

All six lines between sites have the same bandwidth, and no machine is taken away. DiPaCo is the scenario's run; in
DiLoCo all eight paths share one model; data-parallel training makes as many steps of one model as a path does, each of
the batches of eight paths, on all machines or on those of the best site alone. Only time and bytes are simulated.

    python3 scripts/bandwidth_study.py FOLDER [--bin build/release/bin] [--check docs/studies/bandwidth.md]

See timing_study.py.
"""

from timing_study import ROOT, Table, draw_curves, gigabytes, hours, main, spread_gigabytes, spread_hours

SCENARIO = ROOT / "scenarios/wan_4dc.xml"
SITES = ("washington", "dallas", "frankfurt", "tokyo")
RATES = ["10Mbps", "30Mbps", "100Mbps", "300Mbps", "1Gbps", "3Gbps", "10Gbps", "30Gbps", "100Gbps"]
STAY = ["zone:dallas.preemption=", "zone:dallas.notice=", "zone:dallas.spot_price="]
MODELS = {
    "150M": [],
    "1.3B": ["charge.blocks=24", "charge.hidden=2048", "charge.heads=16", "charge.head_size=128"],
}
DILOCO = ["topology.levels=shared:8", "topology.path_specific="]
METHODS = ["DiPaCo", "DiLoCo", "data-parallel, all", "data-parallel, best site"]


class Bandwidths:
    def __init__(self, simulator):
        self.simulator = simulator
        self.points = {model: [] for model in MODELS}

    def cells(self, model, rate):
        lines = [f"link:{site}-{other}.bandwidth={rate}" for k, site in enumerate(SITES) for other in SITES[k + 1 :]]
        settings = STAY + lines + MODELS[model]
        cells, points = [], []
        for more in ([], DILOCO):
            figures = self.simulator.repeated(SCENARIO, SITES, settings + more)
            cells.append(f"{spread_hours(figures)}, {spread_gigabytes(figures)}")
            points.append(figures["simulated_s"].median)
        told = self.simulator.data_parallel(SCENARIO, settings)
        alone = [way for way in told["ways"] if "alone" in way["name"]]
        for ways in ([way for way in told["ways"] if way not in alone], alone):
            best = min(ways, key=lambda way: way["step_s"])
            points.append(told["steps"] * best["step_s"])
            cells.append(f"{hours(points[-1])}, {gigabytes(told['steps'] * best['wan_bytes_a_step'])}")
        megabits = float(rate[:-4]) * {"M": 1, "G": 1000}[rate[-4]]
        self.points[model].append((megabits, *(seconds / 3600 for seconds in points)))
        return cells

    def tables(self):
        columns = ["between sites"] + METHODS
        return [Table(model, columns, RATES, lambda rate, model=model: self.cells(model, rate)) for model in MODELS]

    def picture(self, folder):
        """Hours over bandwidth, one for each model."""
        pictures = {
            f"{model} parameters a path": {
                method: [(point[0], point[k + 1]) for point in self.points[model]] for k, method in enumerate(METHODS)
            }
            for model in MODELS
        }
        draw_curves(
            folder,
            "bandwidth",
            'set logscale xy\nset xlabel "Mbit/s between sites"\nset ylabel "simulated hours"',
            pictures,
        )


if __name__ == "__main__":
    main(__doc__, Bandwidths)

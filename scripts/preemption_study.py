#!/usr/bin/env python3
"""What do preemptions cost? DiPaCo and data-parallel training on spot machines that come and go as real ones did.

The machines are those of Dallas in scenarios/wan_4dc.xml, four of 8 V100, alone; they are there as the traces in
scenarios/traces say, scaled to four. DiPaCo trains its eight paths for 100 outer steps, and data-parallel training makes
as many steps of the batches of all paths: it goes on with those that are there (shrink), or begins again at its last
checkpoint once all are (restart). Six seeds draw where in the trace the run begins: medians, and the least and greatest,
which hold the true median with 97 %. Nothing is learned.

    python3 scripts/preemption_study.py FOLDER [--bin build/release/bin] [--check docs/studies/preemption.md]

See timing_study.py.
"""

import csv
import statistics

from timing_study import ROOT, Figure, Table, draw_curves, main

SCENARIO = ROOT / "scenarios/wan_4dc.xml"
TRACES = ROOT / "scenarios/traces"
OTHERS = ("washington", "frankfurt", "tokyo")
MACHINES = 4
SEEDS = (1, 2, 3, 4, 5, 6)
COLUMNS = ["trace", "there on average", "changes a day", "DiPaCo", "steps lost", "data-parallel, shrink",
           "data-parallel, restart"]  # fmt: skip


def rows_of(trace):
    with open(TRACES / f"{trace}.csv", newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return [(float(row["time_s"]), int(row["available"])) for row in rows]


def shape_of(trace):
    """Most machines, the mean share of them that is there, changes a day."""
    rows = rows_of(trace)
    most = max(count for _, count in rows)
    end = rows[-1][0]
    there = sum(count * (after - time) for (time, count), (after, _) in zip(rows, rows[1:])) / end / most
    changes = sum(one[1] != other[1] for one, other in zip(rows, rows[1:]))
    return most, there, changes / (end / 86400)


class Preemptions:
    def __init__(self, simulator):
        self.simulator = simulator
        self.points = []

    def cells(self, trace):
        if trace == "none":
            settings, shape = ["zone:dallas.preemption=", "zone:dallas.notice=", "zone:dallas.spot_price="], ["4.0", "0"]
            there = 1.0
        else:
            most, there, changes = shape_of(trace)
            settings = [
                f"zone:dallas.preemption={TRACES}/{trace}.csv", "zone:dallas.preemption_offset=drawn",
                "zone:dallas.preemption_end=repeat", f"zone:dallas.preemption_machine_scale={MACHINES / most}",
            ]  # fmt: skip
            shape = [f"{there * MACHINES:.1f}", f"{changes:.0f}"]
        settings.append("outer.steps=100")
        runs = [self.simulator.run(SCENARIO, settings, seed=seed, without=OTHERS) for seed in SEEDS]
        jobs = {
            way: [
                self.simulator.data_parallel(SCENARIO, settings, "--on-loss", way, seed=seed, without=OTHERS)
                for seed in SEEDS
            ]
            for way in ("shrink", "restart")
        }
        lost = statistics.median(run["inner_steps_lost"] / run["inner_steps_computed"] for run in runs)
        took = [self.spread(some) for some in (runs, jobs["shrink"], jobs["restart"])]
        self.points.append((there * MACHINES, [None if seconds is None else seconds.median for seconds in took]))
        told = ["did not end" if seconds is None else seconds.text(".2f", 3600) + " h" for seconds in took]
        return shape + [told[0], f"{100 * lost:.1f} %", *told[1:]]

    @staticmethod
    def spread(runs):
        """Of the seconds; None where one does not end."""
        if None in runs:
            return None
        seconds = [run["simulated_s"] for run in runs]
        return Figure(statistics.median(seconds), min(seconds), max(seconds))

    def tables(self):
        traces = sorted(path.stem for path in TRACES.glob("*.csv"))
        return [Table("Four spot machines", COLUMNS, ["none", *traces], self.cells)]

    def picture(self, folder):
        methods = ("DiPaCo", "data-parallel, shrink", "data-parallel, restart")
        curves = {
            method: sorted((there, took[k] / 3600) for there, took in self.points if took[k] is not None)
            for k, method in enumerate(methods)
        }
        axes = 'set logscale y\nset xlabel "machines that are there on average"\nset ylabel "simulated hours"'
        draw_curves(folder, "preemption", axes, {"four spot machines, a point a trace": curves}, "points linewidth 2")


if __name__ == "__main__":
    main(__doc__, Preemptions)

#!/usr/bin/env python3
"""Drawn fleets with thin and thick lines: does any machine make a run slower by being there?

Draws fleets of two to five sites with one to five workers each, step times over a factor of 32, a line between every two
sites of 10 Mbit/s to 10 Gbit/s, and 8, 16 or 64 paths; of every third fleet one site's workers are spot machines, as many
as a real pool had. Simulates ten outer steps of the paper's 150M path (150 inner steps an outer step) with both schedules,
and with earliest_finish once more without each worker in turn. Prints what came of it, and the fleets beyond a bound.
Ends with status 1 where a run without one worker is more than 2 % shorter, a run is more than 2 % longer than with
first_free, or moves more than 1.1 times the bytes and is not 5 % shorter, or the median of bytes is above first_free's.

    python3 scripts/fleet_worth.py RESULTS.csv [--bin build/release/bin] [--fleets 200] [--seed 1] [--jobs 2]

RESULTS.csv gets a row a run; what it has already is not run again.
"""

import argparse
import collections
import concurrent.futures
import csv
import pathlib
import random
import statistics
import sys

from bench_schedule import LEVELS, draw_sites, platform, run, take_fleets

ROOT = pathlib.Path(__file__).resolve().parent.parent
TRACE = ROOT / "scenarios/traces/a100_4.csv"
FIELDS = ("fleet", "paths", "schedule", "without", "seconds", "wan_bytes", "inner_steps")


class Fleet:
    """What one seed draws."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.sites, pairs = draw_sites(rng)
        self.lines = {pair: 1e7 * 1000 ** rng.random() for pair in pairs}  # bit/s
        self.paths = rng.choice(sorted(LEVELS))
        self.trace = (rng.randrange(len(self.sites)), TRACE) if seed % 3 == 0 else ()

    def workers(self):
        return [f"s{k}-{w}" for k, speeds in enumerate(self.sites) for w in range(len(speeds))]


def simulate(program, seed, schedule, without):
    fleet = Fleet(seed)
    scenario = platform(fleet.sites, fleet.lines, fleet.trace, without)
    try:
        summary, _ = run(program, scenario, fleet.paths, [f"run.schedule={schedule}", "inner.steps=150"])
    except RuntimeError as error:
        sys.exit(f"fleet {seed}, {schedule}, without {without or 'nobody'}: {error}")
    return dict(zip(FIELDS, (seed, fleet.paths, schedule, without, f"{summary['simulated_s']:.3f}", summary["wan_bytes"],
                             summary["inner_steps_computed"])))


def wanted(asked):
    for seed in range(asked.seed, asked.seed + asked.fleets):
        workers = Fleet(seed).workers()
        yield seed, "first_free", ""
        yield seed, "earliest_finish", ""
        for worker in workers if len(workers) > 1 else []:
            yield seed, "earliest_finish", worker


def run_all(asked):
    """Rows of all runs, by fleet, schedule and who is left out; those that RESULTS lacks are run and added to it."""
    results = pathlib.Path(asked.results)
    have = {}
    if results.exists():
        with open(results, newline="") as file:
            have = {(int(row["fleet"]), row["schedule"], row["without"]): row for row in csv.DictReader(file)}
    todo = [one for one in wanted(asked) if one not in have]
    with open(results, "a", newline="") as file, concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        writer = csv.DictWriter(file, FIELDS)
        if not have:
            writer.writeheader()
        for row in pool.map(lambda one: simulate(f"{asked.bin}/dipaco-sim", *one), todo):
            writer.writerow(row)
            file.flush()
            have[row["fleet"], row["schedule"], row["without"]] = {key: str(value) for key, value in row.items()}
    return have


def judge(asked, rows):
    """Prints the table and the fleets beyond a bound. @returns whether there is any"""
    seconds = {one: float(row["seconds"]) for one, row in rows.items()}
    sent = {one: float(row["wan_bytes"]) for one, row in rows.items()}
    beyond = []
    worth, against, moved = [], [], collections.defaultdict(list)
    for seed in range(asked.seed, asked.seed + asked.fleets):
        ours, free = (seed, "earliest_finish", ""), (seed, "first_free", "")
        fleet = Fleet(seed)
        left_out = {worker: seconds[seed, "earliest_finish", worker] / seconds[ours] for worker in fleet.workers()
                    if (seed, "earliest_finish", worker) in seconds}
        worst = min(left_out, key=left_out.get)
        worth.append(left_out[worst])
        against.append(seconds[ours] / seconds[free])
        bytes_share = sent[ours] / sent[free] if sent[free] > 0 else 1.0
        moved["earliest_finish"].append(sent[ours])
        moved["first_free"].append(sent[free])
        thinnest = min(fleet.lines.values()) / 1e6
        about = f"fleet {seed}: {fleet.paths} paths, {len(left_out)} workers, {len(fleet.sites)} sites, thinnest line {thinnest:.0f} Mbit/s"
        if left_out[worst] < 0.98:
            beyond.append(f"{about}: without {worst} {left_out[worst]:.3f} of {seconds[ours]:,.0f} s")
        if against[-1] > 1.02:
            beyond.append(f"{about}: {against[-1]:.3f} of first_free's {seconds[free]:,.0f} s")
        if bytes_share > 1.1 and against[-1] > 0.95:
            beyond.append(f"{about}: {bytes_share:.2f} of first_free's bytes for {against[-1]:.3f} of its time")
    medians = {schedule: statistics.median(values) for schedule, values in moved.items()}
    print("\n".join(beyond))
    print(f"{len(against)} fleets, {len(rows)} runs; {len(beyond)} beyond a bound")
    print(f"without one worker, the shortest: median {statistics.median(worth):.3f}, least {min(worth):.3f}; below 0.98: {sum(share < 0.98 for share in worth)}")
    print(f"of first_free's time: median {statistics.median(against):.3f}, most {max(against):.3f}; above 1.02: {sum(share > 1.02 for share in against)}")
    print(f"GB between sites, median: earliest_finish {medians['earliest_finish'] / 1e9:.1f}, first_free {medians['first_free'] / 1e9:.1f}")
    return bool(beyond) or medians["earliest_finish"] > medians["first_free"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", metavar="RESULTS.csv")
    take_fleets(parser)
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    asked = parser.parse_args()
    return 1 if judge(asked, run_all(asked)) else 0


if __name__ == "__main__":
    sys.exit(main())

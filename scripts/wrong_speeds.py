#!/usr/bin/env python3
"""Machines that are not as fast as they said, or do not stay it: what a run loses beside one that knew.

Draws fleets as bench_schedule.py does, ten outer steps of 6,000 inner steps each with 8, 16 or 64 paths, and simulates

- wrong: each worker says a speed that is off by a draw of up to 30 % either way; beside the same run of workers that say
  what they are;
- slower: half of the workers train at half of their speed once half of the run would be over; beside half of the time that
  the fleet takes as it was, and half of the time that it takes as it is then; without run.backup_tasks and with.

Prints median and worst of time / the time of the run that knew. Ends with status 1 where a worst is above 1.1.

    python3 scripts/wrong_speeds.py [--bin build/release/bin] [--fleets 200] [--seed 1] [--jobs 2]
"""

import argparse
import concurrent.futures
import random
import statistics
import sys

from bench_schedule import LEVELS, draw_sites, platform, run, take_fleets

RATE = 1e10  # bit/s between sites
OFF = 0.3
MOST = 1.1


class Fleet:
    """What one seed draws: its workers' speeds, what they say, and who becomes slow."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.sites, pairs = draw_sites(rng)
        self.rates = dict.fromkeys(pairs, RATE)
        self.paths = rng.choice(sorted(LEVELS))
        hosts = [f"s{k}-{w}" for k, speeds in enumerate(self.sites) for w in range(len(speeds))]
        self.said = {host: 1 + rng.uniform(-OFF, OFF) for host in hosts}
        self.slow = set(rng.sample(hosts, (len(hosts) + 1) // 2))

    def speeds(self, share_of):
        return [[speed * share_of(f"s{k}-{w}") for w, speed in enumerate(speeds)] for k, speeds in enumerate(self.sites)]


def seconds(program, fleet, share_of=lambda host: 1, profiles=(), backups="off"):
    scenario = platform(fleet.speeds(share_of), fleet.rates, profiles=profiles)
    summary, _ = run(program, scenario, fleet.paths, [f"run.backup_tasks={backups}"], profiles)
    return summary["simulated_s"]


def compare(program, seed):
    fleet = Fleet(seed)
    says = {host: f"0 {1 / share:.6f}\n" for host, share in fleet.said.items()}
    before = seconds(program, fleet)
    after = seconds(program, fleet, lambda host: 0.5 if host in fleet.slow else 1)
    knew = (before + after) / 2
    slows = {host: f"0 1\n{before / 2:.3f} 0.5\n" for host in fleet.slow}
    return {
        "wrong": seconds(program, fleet, lambda host: fleet.said[host], says) / before,
        "slower": seconds(program, fleet, profiles=slows) / knew,
        "slower, with backups": seconds(program, fleet, profiles=slows, backups="on") / knew,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    take_fleets(parser)
    parser.add_argument("--jobs", type=int, default=2, help="fleets at a time")
    asked = parser.parse_args()
    seeds = range(asked.seed, asked.seed + asked.fleets)
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        rows = dict(zip(seeds, pool.map(lambda seed: compare(f"{asked.bin}/dipaco-sim", seed), seeds)))
    failed = False
    print("| speeds | median of time / that of the run that knew | worst | its fleet | above 1.1 |")
    print("|---|---|---|---|---|")
    for name in rows[asked.seed]:
        worst = max(rows, key=lambda seed: rows[seed][name])
        shares = [row[name] for row in rows.values()]
        above = sum(share > MOST for share in shares)
        failed = failed or above > 0
        print(f"| {name} | {statistics.median(shares):.3f} | {rows[worst][name]:.3f} | {worst} | {above} of {len(rows)} |")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

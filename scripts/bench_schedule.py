#!/usr/bin/env python3
"""Drawn fleets of unequal machines: how long runs take with each schedule, beside what machines of their speeds need at least.

Draws fleets of two to five sites with one to five workers each, step times over a factor of 32, and simulates ten outer
steps of the paper's 150M path (6,000 inner steps an outer step, so that exchanges hardly count) with 8, 16 and 64 paths.
The bound is ten times the least T with sum(floor(T / t_w)) >= paths, where t_w is what a task takes worker w; a run can
come below it, since paths go ahead of others. Prints median and worst of time / bound for each number of paths and schedule.
Ends with status 1 where, with earliest_finish, a median is above 1.02 or a worst above 1.08.

    python3 scripts/bench_schedule.py [--bin build/release/bin] [--fleets 200] [--seed 1] [--gbps 10] [--paths 8 16 64]
"""

import argparse
import csv
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

RUN = """[model]
blocks=12
hidden=896
heads=16
head_size=64
vocabulary=32000
sequence=1024
[topology]
levels=2x4
path_specific=blocks:0,5,6,11;embedding
[data]
train=nothing.jsonl
[inner]
steps=6000
batch=512
[outer]
steps=10
"""
LEVELS = {8: "2x4", 16: "4x4", 64: "8x8"}
FASTEST = 6.4e15  # flop/s: eight H100 at 0.8 of their peak


def platform(sites, rates, trace=(), left_out="", profiles=()):
    """XML of sites, which are lists of workers' speeds, and a link of its own between every two, of so many bit/s.

    trace: a site's number and the trace of its spot machines. left_out: a worker that evaluates instead, of which there is
    nothing, so that the others' places in the trace stay theirs. profiles: of workers with a speed_file, NAME.profile."""
    lines = ['<?xml version="1.0"?>', '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">', '<platform version="4.1">',
             '<zone id="wan" routing="Full">', '<prop id="run" value="run.cfg"/>', '<prop id="coordinator" value="s0-files"/>']
    for k, speeds in enumerate(sites):
        lines += [f'<zone id="s{k}" routing="Floyd">', f'<prop id="executors" value="s{k}-files"/>', f'<prop id="store" value="s{k}-files"/>']
        if trace and trace[0] == k:
            lines += [f'<prop id="preemption" value="{trace[1]}"/>', '<prop id="notice" value="120s"/>']
        hosts = [f"s{k}-{w}" for w in range(len(speeds))]
        for host, speed in zip(hosts, speeds):
            role = "evaluator" if host == left_out else "worker"
            profile = f' speed_file="{host}.profile"' if host in profiles else ""
            lines.append(f'<host id="{host}" speed="{speed:.0f}f"{profile}><prop id="role" value="{role}"/></host>')
        hosts.append(f"s{k}-files")
        lines += [f'<host id="{hosts[-1]}" speed="1Tf"/>', f'<router id="s{k}-gateway"/>']
        lines += [f'<link id="{host}-nic" bandwidth="100Gbps" latency="50us" sharing_policy="SPLITDUPLEX"/>' for host in hosts]
        lines += [f'<route src="{host}" dst="s{k}-gateway"><link_ctn id="{host}-nic" direction="UP"/></route>' for host in hosts]
        lines.append("</zone>")
    for (a, b), rate in rates.items():
        lines.append(f'<link id="s{a}-s{b}" bandwidth="{rate:.0f}bps" latency="20ms" sharing_policy="SPLITDUPLEX"/>')
    lines += [f'<zoneRoute src="s{a}" dst="s{b}" gw_src="s{a}-gateway" gw_dst="s{b}-gateway">'
              f'<link_ctn id="s{a}-s{b}" direction="UP"/></zoneRoute>' for a, b in rates]
    return "\n".join(lines + ["</zone>", "</platform>", ""])


def draw_sites(rng):
    """Workers' speeds at each site, and every two sites."""
    sites = [[FASTEST * 32 ** -rng.random() for _ in range(rng.randint(1, 5))] for _ in range(rng.randint(2, 5))]
    return sites, [(a, b) for a in range(len(sites)) for b in range(a + 1, len(sites))]


def draw(seed, rate):
    sites, pairs = draw_sites(random.Random(seed))
    return platform(sites, dict.fromkeys(pairs, rate))


def run(program, scenario, paths, settings, profiles=()):
    """What a run on this platform has left: its summary, and a row for each worker. profiles: the text of each, by host."""
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        for host in profiles:
            (scratch / f"{host}.profile").write_text(profiles[host])
        (scratch / "run.cfg").write_text(RUN)
        (scratch / "fleet.xml").write_text(scenario)
        simulator = subprocess.run(
            [program, scratch / "fleet.xml", "--learn", "off", "--progress", "off", "--out", scratch / "out",
             *(part for setting in (f"topology.levels={LEVELS[paths]}", *settings) for part in ("--set", setting))],
            check=False, capture_output=True, text=True)
        if simulator.returncode != 0:
            raise RuntimeError(f"status {simulator.returncode}: {simulator.stderr.strip()}")
        with open(scratch / "out/workers.csv", newline="") as file:
            return json.loads((scratch / "out/summary.json").read_text()), list(csv.DictReader(file))


def least(times, tasks):
    """The least T with sum(floor(T / t)) >= tasks."""
    ends = sorted(t * k for t in times for k in range(1, tasks + 1))
    return ends[tasks - 1]


def simulate(program, scenario, paths, schedule):
    summary, workers = run(program, scenario, paths, [f"run.schedule={schedule}"])
    busiest = max(workers, key=lambda worker: int(worker["inner_steps"]))
    cost = float(busiest["compute_s"]) * float(busiest["speed_flop_per_s"]) / int(busiest["inner_steps"]) * 6000
    times = [cost / float(worker["speed_flop_per_s"]) for worker in workers]
    return summary["simulated_s"], 10 * least(times, paths), summary["wan_bytes"]


def take_fleets(parser):
    """The options that say which fleets, and where dipaco-sim is."""
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--fleets", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1, help="of the first fleet; the others have the next ones")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    take_fleets(parser)
    parser.add_argument("--gbps", type=float, default=10, help="of the links between sites, Gbit/s")
    parser.add_argument("--paths", type=int, nargs="*", default=[8, 16, 64], choices=sorted(LEVELS))
    parser.add_argument("--schedules", nargs="*", default=["first_free", "earliest_finish"])
    parser.add_argument("--verbose", action="store_true", help="a line a run")
    asked = parser.parse_args()
    failed = False
    print("| paths | schedule | median of time / bound | worst | its fleet | median GB between sites |")
    print("|---|---|---|---|---|---|")
    for paths in asked.paths:
        for schedule in asked.schedules:
            shares, moved = {}, []
            for seed in range(asked.seed, asked.seed + asked.fleets):
                took, bound, wan = simulate(f"{asked.bin}/dipaco-sim", draw(seed, asked.gbps * 1e9), paths, schedule)
                shares[seed] = took / bound
                moved.append(wan / 1e9)
                if asked.verbose:
                    print(f"  {paths} {schedule} fleet {seed}: {took:,.0f} s of {bound:,.0f} s, {shares[seed]:.3f}; {wan / 1e9:.1f} GB")
            median, worst = statistics.median(shares.values()), max(shares, key=shares.get)
            bad = schedule == "earliest_finish" and (median > 1.02 or shares[worst] > 1.08)
            failed = failed or bad
            print(f"| {paths} | {schedule} | {median:.3f} | {shares[worst]:.3f} | {worst} | {statistics.median(moved):.1f} |"
                  f"{' **' if bad else ''}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

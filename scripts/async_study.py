#!/usr/bin/env python3
"""Which sync policy reaches a perplexity first on scenarios/wan_4dc.xml, with its preemption and without?

Each policy trains the scenario's model for several lengths (outer.steps), each with its own learning rate's cosine, so
that a policy's runs make a curve of perplexity over simulated hours; two seeds.

    python3 scripts/async_study.py FOLDER [--bin build/release/bin] [--jobs N] [--seeds 1,2] [--quick]

FOLDER keeps all runs: the same command goes on where it was stopped, prints the tables, and writes async.svg where
gnuplot is there. --quick: one length. Two cores take about four hours.
"""

import re
import shutil
import statistics
import subprocess

from small_study import ROOT, Study, all_of, options_of, perplexity

LENGTHS = (5, 8, 12, 18)
NO_ROUNDS = ["evaluate.every=0"]
DYLU = NO_ROUNDS + ["inner.dylu=on"]
POLICIES = {
    "synchronous, first free": ["run.schedule=first_free"],
    "synchronous": [],
    "asynchronous": NO_ROUNDS + ["outer.policy=asynchronous"],
    "asynchronous, DyLU": DYLU + ["outer.policy=asynchronous"],
    "asynchronous, DyLU, buffer": DYLU + ["outer.policy=asynchronous", "outer.buffer=2"],
    "quorum": NO_ROUNDS + ["outer.policy=quorum"],
    "quorum, DyLU, tokens": DYLU + ["outer.policy=quorum", "outer.weighting=tokens"],
}
PLATFORMS = {"with preemption": True, "without": False}


class WanStudy(Study):
    """Runs of the shipped scenario, with its preemption or without."""

    def __init__(self, options):
        super().__init__(options, {})
        scenarios = ROOT / "scenarios"
        text = (scenarios / "wan_4dc.xml").read_text()
        text = re.sub(r'value="(runs|traces)/', rf'value="{scenarios}/\1/', text)
        for name, preempted in PLATFORMS.items():
            kept = text if preempted else re.sub(r' *<prop id="(preemption|notice)"[^>]*/>\n', "", text)
            (self.folder / f"{name}.xml").write_text(kept)


def plot(folder, points):
    """A picture a platform: perplexity over hours, a line a policy."""
    blocks = []
    for platform in PLATFORMS:
        for policy in POLICIES:
            rows = sorted(points[platform, policy])
            blocks.append("\n".join(f"{hours} {value}" for hours, value in rows))
    (folder / "async.dat").write_text("\n\n\n".join(blocks) + "\n")
    lines = []
    for number, platform in enumerate(PLATFORMS):
        first = number * len(POLICIES)
        curves = ", ".join(
            f'"async.dat" index {first + k} with linespoints linewidth 2 title "{policy}"'
            for k, policy in enumerate(POLICIES)
        )
        lines.append(f'set title "wan\\\\_4dc, {platform}"\nplot {curves}')
    script = (
        'set terminal svg size 1000,420 font "sans,12" background "white"\nset output "async.svg"\n'
        'set multiplot layout 1,2\nset xlabel "simulated hours"\nset ylabel "perplexity"\nset grid\nset key top right\n'
        + "\n".join(lines)
        + "\nunset multiplot\n"
    )
    (folder / "async.gnuplot").write_text(script)
    if shutil.which("gnuplot"):
        subprocess.run(["gnuplot", "async.gnuplot"], cwd=folder, check=True)


def hours_to(rows, target):
    """On the line through the curve's points; None where it does not get there."""
    rows = sorted(rows)
    for (early, high), (late, low) in zip(rows, rows[1:]):
        if low <= target <= high:
            return early + (late - early) * (high - target) / (high - low)
    return None


def main():
    options = options_of(__doc__, seeds="1,2", quick=True)
    study = WanStudy(options)
    lengths = (10,) if options.quick else LENGTHS
    runs = {
        (platform, policy, steps, seed): (
            lambda platform=platform, policy=policy, steps=steps, seed=seed: study.simulate(
                f"{platform}-{policy}-{steps}-{seed}".replace(", ", "-").replace(" ", "_"),
                platform,
                seed,
                POLICIES[policy] + [f"outer.steps={steps}"],
            )
        )
        for platform in PLATFORMS
        for policy in POLICIES
        for steps in lengths
        for seed in options.seeds
    }
    ended = all_of(runs, options.jobs)
    points = {}
    print("| machines | policy | outer steps | hours | perplexity | GB between sites | goodput | inner steps lost |")
    print("|---|---|---|---|---|---|---|---|")
    for platform in PLATFORMS:
        for policy in POLICIES:
            for steps in lengths:
                some = [ended[platform, policy, steps, seed] for seed in options.seeds]
                mean = lambda key: statistics.mean(run[key] for run in some)
                value = statistics.mean(perplexity(run) for run in some)
                hours = mean("simulated_s") / 3600
                points.setdefault((platform, policy), []).append((hours, value))
                print(
                    f"| {platform} | {policy} | {steps} | {hours:.2f} | {value:.2f} | {mean('wan_bytes') / 1e9:.1f} | "
                    f"{100 * mean('goodput'):.1f} % | {mean('inner_steps_lost'):.0f} |"
                )
    if options.quick:
        return
    for platform in PLATFORMS:
        target = sorted(points[platform, "synchronous"])[2][1]  # of its run of 12 outer steps
        print(f"\n{platform}: hours until a perplexity of {target:.1f}\n\n| policy | hours |\n|---|---|")
        for policy in POLICIES:
            hours = hours_to(points[platform, policy], target)
            print(f"| {policy} | {'not reached' if hours is None else f'{hours:.2f}'} |")
    plot(study.folder, points)


if __name__ == "__main__":
    main()

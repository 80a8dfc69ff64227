#!/usr/bin/env python3
"""Which sync policy reaches a perplexity first on scenarios/wan_4dc.xml, with its preemption and without?

Machines, lines, prices and charges are the scenario's. What learns is smaller than its model, so that runs can be
longer: two blocks of width 64, 20 inner steps a task. Each policy trains for several lengths (outer.steps), each with its
own learning rate's cosine, so that a policy's runs make a curve of perplexity over simulated hours, bytes and dollars.

    python3 scripts/async_study.py FOLDER [--bin build/release/bin] [--jobs N] [--seeds 1,2,3] [--quick]

FOLDER keeps all runs: the same command goes on where it was stopped, prints the tables, and writes async.svg where
gnuplot is there. --quick: one length. A core takes about two hours.
"""

import re
import shutil
import statistics
import subprocess

from small_study import ROOT, Study, all_of, options_of, perplexity

LENGTHS = (10, 20, 40)
MODEL = [
    "model.blocks=2", "model.hidden=64", "model.heads=2", "model.vocabulary=1024", "model.sequence=64",
    "topology.path_specific=blocks:0;embedding", "pretrain.steps=300", "inner.steps=20", "inner.batch=8",
    "evaluate.every=0", "evaluate.dense_equal_steps=off",
]  # fmt: skip
DYLU = ["inner.dylu=on"]
QUORUM = ["outer.policy=quorum"]
POLICIES = {
    "synchronous, first free": ["run.schedule=first_free"],
    "synchronous": [],
    "asynchronous": ["outer.policy=asynchronous"],
    "asynchronous, DyLU": DYLU + ["outer.policy=asynchronous"],
    "asynchronous, DyLU, grace": DYLU + ["outer.policy=asynchronous", "outer.grace=30s"],
    "asynchronous, DyLU, buffer": DYLU + ["outer.policy=asynchronous", "outer.buffer=2"],
    "quorum": QUORUM,
    "quorum, adaptive grace": QUORUM + ["outer.grace_share=0.25"],
    "quorum, DyLU, tokens": DYLU + QUORUM + ["outer.weighting=tokens"],
    "quorum, DyLU, tokens, adaptive grace": DYLU + QUORUM + ["outer.weighting=tokens", "outer.grace_share=0.25"],
    "hierarchical, DyLU": DYLU + [
        "outer.policy=hierarchical", "topology.regions=2", "outer.merge_every=2", "outer.merge_weight=0.5",
        "outer.global_optimizer=sgd", "outer.global_learning_rate=1",
    ],
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
            kept = text if preempted else re.sub(r' *<prop id="(preemption|notice|spot_price)"[^>]*/>\n', "", text)
            (self.folder / f"{name}.xml").write_text(kept)


def plot(folder, points):
    """A row a platform: perplexity over hours, bytes and dollars, a line a policy."""
    names = ("simulated hours", "GB between sites", "USD")
    blocks = [
        "\n".join(" ".join(str(value) for value in row) for row in sorted(points[platform, policy]))
        for platform in PLATFORMS
        for policy in POLICIES
    ]
    (folder / "async.dat").write_text("\n\n\n".join(blocks) + "\n")
    lines = []
    for number, platform in enumerate(PLATFORMS):
        first = number * len(POLICIES)
        for column, name in enumerate(names, 1):
            curves = ", ".join(
                f'"async.dat" index {first + k} using {column}:4 with linespoints linewidth 2 linetype {k + 1} '
                f'title "{policy}"'
                for k, policy in enumerate(POLICIES)
            )
            key = "on" if (number, column) == (0, 1) else "off"
            lines.append(f'set title "wan\\\\_4dc, {platform}"\nset xlabel "{name}"\nset key {key}\nplot {curves}')
    script = (
        'set terminal svg size 1500,900 font "sans,12" background "white"\nset output "async.svg"\n'
        'set multiplot layout 2,3\nset ylabel "perplexity"\nset grid\nset key top right font ",10"\n'
        + "\n".join(lines)
        + "\nunset multiplot\n"
    )
    (folder / "async.gnuplot").write_text(script)
    if shutil.which("gnuplot"):
        subprocess.run(["gnuplot", "async.gnuplot"], cwd=folder, check=True)


def amount_at(rows, column, target):
    """On the line through the curve's points; None where it does not get there."""
    rows = sorted((row[column], row[-1]) for row in rows)
    for (early, high), (late, low) in zip(rows, rows[1:]):
        if low <= target <= high:
            return early + (late - early) * (high - target) / (high - low)
    return None


def main():
    options = options_of(__doc__, seeds="1,2,3", flags=("quick",))
    study = WanStudy(options)
    lengths = LENGTHS[:1] if options.quick else LENGTHS
    runs = {
        (platform, policy, steps, seed): (
            lambda platform=platform, policy=policy, steps=steps, seed=seed: study.simulate(
                f"{platform}-{policy}-{steps}-{seed}".replace(", ", "-").replace(" ", "_"),
                platform,
                seed,
                MODEL + POLICIES[policy] + [f"outer.steps={steps}"],
            )
        )
        for seed in options.seeds
        for platform in PLATFORMS
        for steps in lengths
        for policy in POLICIES
    }
    ended = all_of(runs, options.jobs)
    points = {}
    print("| machines | policy | outer steps | hours | perplexity | GB between sites | USD | goodput | inner steps lost |")
    print("|---|---|---|---|---|---|---|---|---|")
    for platform in PLATFORMS:
        for policy in POLICIES:
            for steps in lengths:
                some = [ended[platform, policy, steps, seed] for seed in options.seeds]
                mean = lambda key: statistics.mean(run[key] for run in some)
                values = [perplexity(run) for run in some]
                row = (mean("simulated_s") / 3600, mean("wan_bytes") / 1e9, mean("usd"), statistics.mean(values))
                points.setdefault((platform, policy), []).append(row)
                print(
                    f"| {platform} | {policy} | {steps} | {row[0]:.2f} | {row[3]:.2f} ± {statistics.stdev(values):.2f} | "
                    f"{row[1]:.1f} | {row[2]:.0f} | {100 * mean('goodput'):.1f} % | {mean('inner_steps_lost'):.0f} |"
                )
    if options.quick:
        return
    for platform in PLATFORMS:
        target = points[platform, "synchronous"][1][-1]  # of its run of 20 outer steps
        print(f"\n{platform}: until a perplexity of {target:.1f}\n\n| policy | hours | GB between sites | USD |")
        print("|---|---|---|---|")
        for policy in POLICIES:
            amounts = [amount_at(points[platform, policy], column, target) for column in range(3)]
            cells = ["not reached" if amount is None else f"{amount:.2f}" for amount in amounts]
            print(f"| {policy} | {' | '.join(cells)} |")
    plot(study.folder, points)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""How thin may lines between sites be? DiPaCo, DiLoCo and data-parallel training on scenarios/wan_4dc.xml.

All six lines between sites have the same bandwidth, and no machine is taken away. DiPaCo is the scenario's run; in
DiLoCo all eight paths share one model; data-parallel training makes as many steps of one model as a path does, each of
the batches of eight paths, on all machines or on those of the best site alone. Only time and bytes are simulated.

    python3 scripts/bandwidth_study.py FOLDER [--bin build/release/bin] [--check docs/studies/bandwidth.md]

Prints the tables, and leaves bandwidth.svg in FOLDER where gnuplot is there. --check: makes a tenth of the rows again,
and ends with status 1 where one is not in that page.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCENARIO = ROOT / "scenarios/wan_4dc.xml"
RATES = ["10Mbps", "30Mbps", "100Mbps", "300Mbps", "1Gbps", "3Gbps", "10Gbps", "30Gbps", "100Gbps"]
STAY = ["zone:dallas.preemption=", "zone:dallas.notice=", "zone:dallas.spot_price="]
MODELS = {
    "150M": [],
    "1.3B": ["charge.blocks=24", "charge.hidden=2048", "charge.heads=16", "charge.head_size=128"],
}
DILOCO = ["topology.levels=shared:8", "topology.path_specific="]
METHODS = ("DiPaCo", "DiLoCo", "data-parallel, all", "data-parallel, best site")


def run(command):
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: {ended.stderr.strip()}")
    return json.loads(ended.stdout)


def settings(rate, model):
    changes = STAY + [f"link:{site}-{other}.bandwidth={rate}" for site, other in pairs()] + MODELS[model]
    return [part for change in changes for part in ("--set", change)]


def pairs():
    sites = ("washington", "dallas", "frankfurt", "tokyo")
    return [(site, other) for k, site in enumerate(sites) for other in sites[k + 1 :]]


def simulated(options, rate, model, more):
    """Hours, GB between sites."""
    out = options.folder / "run"
    shutil.rmtree(out, ignore_errors=True)
    command = [options.bin / "dipaco-sim", SCENARIO, "--learn", "off", "--progress", "off", "--format", "json"]
    command += ["--out", out, *settings(rate, model)]
    for setting in more:
        command += ["--set", setting]
    summary = run(command)
    return summary["simulated_s"] / 3600, summary["wan_bytes"] / 1e9


def data_parallel(options, rate, model):
    """The same of all machines, and of the best site's alone: the best of a ring and a hierarchy, with overlap."""
    told = run([options.bin / "dipaco-sim", "data-parallel", SCENARIO, "--format", "json", *settings(rate, model)])
    best = lambda ways: min(ways, key=lambda way: way["step_s"])
    figures = lambda way: (told["steps"] * way["step_s"] / 3600, told["steps"] * way["wan_bytes_a_step"] / 1e9)
    alone = [way for way in told["ways"] if "alone" in way["name"]]
    return figures(best([way for way in told["ways"] if way not in alone])), figures(best(alone))


def figures_at(options, rate, model):
    whole, alone = data_parallel(options, rate, model)
    return [simulated(options, rate, model, []), simulated(options, rate, model, DILOCO), whole, alone]


def row(rate, figures):
    return f"| {rate} | " + " | ".join(f"{hours:.2f} h, {bytes_:,.0f} GB" for hours, bytes_ in figures) + " |"


def plot(folder, hours):
    """Hours over bandwidth, a picture a model."""
    blocks = ["\n".join(f"{x} {' '.join(map(str, y))}" for x, y in hours[model]) for model in MODELS]
    (folder / "bandwidth.dat").write_text("\n\n\n".join(blocks) + "\n")
    lines = []
    for number, model in enumerate(MODELS):
        curves = ", ".join(
            f'"bandwidth.dat" index {number} using 1:{k + 2} with linespoints linewidth 2 title "{method}"'
            for k, method in enumerate(METHODS)
        )
        lines.append(f'set title "{model} parameters a path"\nplot {curves}')
    (folder / "bandwidth.gnuplot").write_text(
        'set terminal svg size 1000,420 font "sans,12" background "white"\nset output "bandwidth.svg"\n'
        'set multiplot layout 1,2\nset logscale xy\nset xlabel "Mbit/s between sites"\nset ylabel "simulated hours"\n'
        'set grid\nset key top right\n' + "\n".join(lines) + "\nunset multiplot\n"
    )
    if shutil.which("gnuplot"):
        subprocess.run(["gnuplot", "bandwidth.gnuplot"], cwd=folder, check=True)


def check(options):
    page = options.check.read_text().splitlines()
    for model, rate in (("150M", "100Mbps"), ("1.3B", "10Gbps")):
        made = row(rate, figures_at(options, rate, model))
        if made not in page:
            sys.exit(f"{options.check} has not this row of {model}:\n{made}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--check", type=pathlib.Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.check:
        return check(options)
    hours = {}
    for model in MODELS:
        print(f"\n{model}\n\n| between sites | {' | '.join(METHODS)} |\n|---|---|---|---|---|")
        for rate in RATES:
            figures = figures_at(options, rate, model)
            megabits = float(rate[:-4]) * {"M": 1, "G": 1000}[rate[-4]]
            hours.setdefault(model, []).append((megabits, [hour for hour, _ in figures]))
            print(row(rate, figures), flush=True)
    plot(options.folder, hours)


if __name__ == "__main__":
    main()

"""What studies of docs/studies share that simulate time and bytes alone: bandwidth_study.py and others.

A study is some tables; each row's cells are made by simulating. It runs as

    python3 scripts/NAME_study.py FOLDER [--bin build/release/bin] [--check docs/studies/NAME.md]

which prints the tables, and leaves NAME.svg in FOLDER where gnuplot is there. --check: makes every tenth row again, one of
each table at least, and ends with status 1 where one is not in that page.
"""

import argparse
import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import Callable

ROOT = pathlib.Path(__file__).resolve().parent.parent
# With six, the least and the greatest hold the true median with 97 %.
SEEDS = 6
# Choice: tasks of one machine differ by 2 %. Without, every seed would keep step in the same way for ever.
JITTER = 0.02


@dataclass
class Table:
    """Rows by label; `cells` makes the others of a row."""

    title: str
    columns: list
    labels: list
    cells: Callable

    def row(self, label):
        return f"| {label} | " + " | ".join(self.cells(label)) + " |"


@dataclass
class Figure:
    """The median over seeds, and its 95 % interval."""

    median: float
    low: float
    high: float

    def text(self, form, scale=1.0):
        """As "0.87 (0.85-0.90)", the interval where it is not the median as printed."""
        told = [format(value / scale, form) for value in (self.median, self.low, self.high)]
        return told[0] if told[1] == told[2] else f"{told[0]} ({told[1]}–{told[2]})"


class Simulator:
    """dipaco-sim, which learns nothing here."""

    def __init__(self, options):
        self.folder, self.binary = options.folder.resolve(), options.bin.resolve() / "dipaco-sim"
        self.folder.mkdir(parents=True, exist_ok=True)

    def call(self, *words, allowed=(0,)):
        ended = subprocess.run([self.binary, *map(str, words)], capture_output=True, text=True)
        if ended.returncode not in allowed:
            raise SystemExit(f"dipaco-sim {' '.join(map(str, words))}: {ended.stderr.strip()}")
        return json.loads(ended.stdout) if ended.returncode == 0 else None

    def run(self, scenario, settings, seed=1, without=()):
        """Its summary; None where it made no progress."""
        out = self.folder / "run"
        shutil.rmtree(out, ignore_errors=True)
        words = [scenario, "--learn", "off", "--progress", "off", "--format", "json", "--out", out, "--seed", seed]
        return self.call(*words, *set_of(settings), *without_of(without), allowed=(0, 4))

    def repeated(self, scenario, sites, settings, without=()):
        """Figures by name over SEEDS seeds. Each draws how long a task takes, and which of equal workers is the first."""
        out = self.folder / "runs"
        shutil.rmtree(out, ignore_errors=True)
        drawn = [f"zone:{root_of(scenario)}.ties=drawn", *(f"zone:{site}.jitter={JITTER}" for site in sites)]
        words = [scenario, "--learn", "off", "--progress", "off", "--format", "json", "--out", out, "--repeat", SEEDS]
        rows = self.call(*words, *set_of([*settings, *drawn]), *without_of(without))
        with open(out / "points.csv", newline="") as file:
            ended = int(next(csv.DictReader(file))["runs"])
        if ended != SEEDS:
            raise SystemExit(f"{scenario} with {' '.join(settings)}: {ended} of {SEEDS} seeds ended")
        return {row["figure"]: Figure(row["median"], row["low"], row["high"]) for row in rows}

    def data_parallel(self, scenario, settings, *more, seed=1, without=()):
        words = ["data-parallel", scenario, "--format", "json", "--seed", seed]
        return self.call(*words, *set_of(settings), *without_of(without), *more, allowed=(0, 4))


def set_of(settings):
    return [word for setting in settings for word in ("--set", setting)]


def root_of(scenario):
    return re.search(r'<zone id="([^"]+)"', scenario.read_text()).group(1)


def without_of(names):
    return [word for name in names for word in ("--without", name)]


def hours(seconds):
    return f"{seconds / 3600:.2f} h"


def gigabytes(count):
    return f"{count / 1e9:,.0f} GB"


def spread_hours(figures):
    return figures["simulated_s"].text(".2f", 3600) + " h"


def spread_gigabytes(figures):
    return figures["wan_bytes"].text(",.0f", 1e9) + " GB"


def check(page, tables):
    lines = page.read_text().splitlines()
    for table in tables:
        for label in table.labels[len(table.labels) // 2 % 10 :: 10]:
            made = table.row(label)
            if made not in lines:
                sys.exit(f"{page} has not this row of {table.title}:\n{made}")


def draw_curves(folder, name, axes, pictures, style="linespoints linewidth 2"):
    """Curves side by side. `pictures`: by title, {curve: [(x, y), ...]}; `axes`: gnuplot's words for labels and scales."""
    blocks, plots = [], []
    for title, curves in pictures.items():
        words = []
        for curve, points in curves.items():
            words.append(f'"{name}.dat" index {len(blocks)} with {style} title "{curve}"')
            blocks.append("\n".join(f"{x} {y}" for x, y in points))
        plots.append(f'set title "{title}"\nplot {", ".join(words)}')
    (folder / f"{name}.dat").write_text("\n\n\n".join(blocks) + "\n")
    draw(folder, name, f"set multiplot layout 1,{len(pictures)}\n{axes}\n" + "\n".join(plots) + "\nunset multiplot")


def draw(folder, name, script):
    """A picture by gnuplot, whose script finds its data in the folder."""
    (folder / f"{name}.gnuplot").write_text(
        f'set terminal svg size 1000,420 font "sans,12" background "white"\nset output "{name}.svg"\n'
        f"set grid\nset key top right\n{script}\n"
    )
    if shutil.which("gnuplot"):
        subprocess.run(["gnuplot", f"{name}.gnuplot"], cwd=folder, check=True)


def main(doc, study_of):
    """`study_of` makes a study with a simulator: tables(), and picture(folder) once all rows are printed."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--check", type=pathlib.Path)
    options = parser.parse_args()
    simulator = Simulator(options)
    study = study_of(simulator)
    tables = study.tables()
    if options.check:
        return check(options.check, tables)
    for table in tables:
        print(f"\n{table.title}\n\n| {' | '.join(table.columns)} |\n|{'---|' * len(table.columns)}")
        for label in table.labels:
            print(table.row(label), flush=True)
    study.picture(simulator.folder)

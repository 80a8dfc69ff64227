#!/usr/bin/env python3
"""What each site of a scenario is worth: simulates it as it is, and once for each site without that site's workers.

    python3 scripts/site_worth.py [--bin build/release/bin] [--set KEY=VALUE]... [SCENARIO]

Prints a row a run. Nothing is learned. A site whose workers are left out keeps its store and executors. Ends with status 1
where a run is no longer without a site's workers.
"""

import argparse
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ZONE = r'<zone id="([^"]+)"(?:(?!</?zone[ >]).)*?<prop id="workers"'


def simulate(program, scenario, settings, without=()):
    """The summary of a run."""
    with tempfile.TemporaryDirectory() as out:
        words = [program, scenario, "--learn", "off", "--format", "json", "--progress", "off", "--out", f"{out}/run"]
        for setting in settings:
            words += ["--set", setting]
        for name in without:
            words += ["--without", name]
        ran = subprocess.run(words, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"dipaco-sim ended with status {ran.returncode}:\n{ran.stderr}")
    return json.loads(ran.stdout)


def row(name, summary, least):
    """One line of the table."""
    longer = "" if least is None else f"{summary['simulated_s'] / least - 1:+.1%}"
    print(
        f"| {name} | {summary['simulated_s']:,.0f} s | {longer} | {summary['wan_bytes'] / 1e9:.1f} GB"
        f" | {summary['workers_lost']} | {summary['goodput']:.1%} |",
        flush=True,
    )


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # where whoever reads the table has seen enough
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenario", nargs="?", type=pathlib.Path, default=ROOT / "scenarios/wan_4dc.xml")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--set", action="append", default=[], dest="settings")
    arguments = parser.parse_args()
    program = arguments.bin / "dipaco-sim"
    if not program.is_file():
        sys.exit(f"{program} is not there; build it (README.md), or name its folder with --bin")
    if not arguments.scenario.is_file():
        sys.exit(f"{arguments.scenario} is not there; name a scenario")
    sites = re.findall(ZONE, arguments.scenario.read_text(), re.DOTALL)
    if len(sites) < 2:
        sys.exit(f"{arguments.scenario} has fewer than two zones with a property workers")
    print("| workers | duration | longer | between sites | workers lost | goodput |\n|---|---|---|---|---|---|")
    whole = simulate(program, arguments.scenario, arguments.settings)
    row("all", whole, None)
    worth = True
    for site in sites:
        summary = simulate(program, arguments.scenario, arguments.settings, [site])
        row(f"without {site}'s", summary, whole["simulated_s"])
        worth = worth and summary["simulated_s"] > whole["simulated_s"]
    if not worth:
        sys.exit(1)


if __name__ == "__main__":
    main()

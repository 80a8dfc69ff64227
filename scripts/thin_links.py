#!/usr/bin/env python3
"""Thin links between sites: what a run moves and how long it takes, beside what it has to move and how long it must take.

Simulates 64 paths (8x8 modules, charged as the paper's 150M path) over the four sites of tests/sim/unequal_4dc.xml, without
its spot trace, and over a mesh of four equal sites, with every link between sites as thin as asked. Prints a row a run;
ends with status 1 where a run requeues a task, moves more than 1.02 of the bytes it needs, or takes more than 1.1 of the
lower bound.

    python3 scripts/thin_links.py [--bin build/release/bin] [--steps 10] [--schedule first_free] [--sites mesh]
        [--way direct] [--disk 1.2GBps] [--intake 0.4GBps] [RATE...]                    RATE: 1Mbps 50Mbps 1Gbps

thin_bound.py says what is needed, and what the bound is. --way says how messages go: straight from sender to receiver
(direct), by caches at sites (cached), with outer gradients of a site added (summed; what is needed does not count on
that), or with known lines, too (known), as it is unless a run file says otherwise. thin_sites.py compares the four.
--disk and --intake are props of all machines, and count in the bound, too: how fast they write and read, and how fast they
take messages in.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

from thin_bound import MOST_BYTES, MOST_TIME, Run, longest_chain, needed

ROOT = pathlib.Path(__file__).resolve().parent.parent
SITES = ("washington", "dallas", "frankfurt", "tokyo")
RATES = ["1Mbps", "5Mbps", "10Mbps", "50Mbps", "100Mbps", "1Gbps"]
# How messages go between sites.
UNKNOWN = "run.known_lines=off"
WAYS = {"direct": ["run.site_cache=off", UNKNOWN], "cached": [UNKNOWN, "run.site_sums=off"], "summed": [UNKNOWN], "known": []}
UNITS = {"Mbps": 1e6 / 8, "Gbps": 1e9 / 8, "MBps": 1e6, "GBps": 1e9}
# The fastest adapter of a host in these scenarios, bytes a second: Frankfurt's.
ADAPTER = 100e9 / 8


def split_rate(rate):
    """Bytes a second of a rate such as 50Mbps or 1.2GBps."""
    number, unit = re.fullmatch(r"([0-9.]+)([MG][bB]ps)", rate).groups()
    return float(number) * UNITS[unit]


def wan(rate):
    """tests/sim/unequal_4dc.xml with links of this rate between its sites, and machines that stay."""
    text = (ROOT / "tests/sim/unequal_4dc.xml").read_text()
    either = "|".join(SITES)
    text, links = re.subn(rf'(<link id="(?:{either})-(?:{either})" bandwidth=")[^"]*', rf"\g<1>{rate}", text)
    assert links == 6, links
    text = re.sub(r'<prop id="(preemption|notice)"[^>]*/>', "", text)
    return text.replace('"../../scenarios/', f'"{ROOT}/scenarios/')


def mesh(rate):
    """The same with four workers of 8 A100 at each site."""
    text = wan(rate)
    zone = re.search(r' *<zone id="washington".*?</zone>\n', text, re.DOTALL).group(0)
    zone = re.sub(r" *<(host|link|route)[^\n]*washington-1[^\n]*\n", "", zone)
    for number in (1, 2, 3):
        for tag in ("host", "link", "route"):
            lines = re.findall(rf" *<{tag} [^\n]*washington-0[^\n]*\n", zone)
            zone = zone.replace(lines[0], lines[0] + lines[0].replace("washington-0", f"washington-{number}"), 1)
    zone = zone.replace("washington-[0-1]", "washington-[0-3]")
    for site in SITES:
        text = re.sub(rf' *<zone id="{site}".*?</zone>\n', lambda _: zone.replace("washington", site), text, flags=re.DOTALL)
    return text


def with_charges(text, asked):
    """The scenario whose machines have the disk and the intake that were asked for."""
    given = {prop: getattr(asked, prop, None) for prop in ("disk", "intake")}
    props = "".join(f'<prop id="{prop}" value="{value}"/>' for prop, value in given.items() if value)
    return re.sub(r'(<prop id="store" value="[^"]*"/>)', rf"\g<1>{props}", text)


def arguments(description, steps):
    """Of a script that simulates these runs."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rates", nargs="*", metavar="RATE", default=RATES)
    parser.add_argument("--bin", default=str(ROOT / "build/release/bin"))
    parser.add_argument("--steps", type=int, default=steps)
    parser.add_argument("--sites", choices=("unequal", "mesh"), help="only these; both unless given")
    return parser


def arguments_of_one_way(description, steps):
    """Of one whose runs' messages all go in the same way."""
    parser = arguments(description, steps)
    parser.add_argument("--way", choices=WAYS, default="direct", help="how messages go between sites")
    parser.add_argument("--disk", help="of each machine; takes no time unless given")
    parser.add_argument("--intake", help="of each machine; takes no time unless given")
    return parser


def scenarios(asked):
    """Sites, rate and scenario of each run; its folder is there for the run's results, too, and goes after it."""
    for name, make in (("unequal", wan), ("mesh", mesh)):
        if asked.sites not in (None, name):
            continue
        for rate in asked.rates:
            with tempfile.TemporaryDirectory() as scratch:
                scenario = pathlib.Path(scratch) / f"{name}.xml"
                scenario.write_text(with_charges(make(rate), asked))
                yield name, rate, scenario


def run_simulator(asked, scenario, folder, settings):
    """@returns why it has failed, or ''"""
    simulator = subprocess.run(
        [f"{asked.bin}/dipaco-sim", scenario, "--learn", "off", "--events", "on", "--progress", "off",
         "--set", "topology.levels=8x8", "--set", f"outer.steps={asked.steps}",
         *(part for setting in settings for part in ("--set", setting)), "--out", folder],
        check=False, capture_output=True, text=True)
    return f"status {simulator.returncode}: {simulator.stderr.strip()}" if simulator.returncode != 0 else ""


def simulate(asked, scenario, rate, out, settings):
    """A run in the folder of its scenario: what it has left, or None, and what it said."""
    folder = scenario.parent / out
    why = run_simulator(asked, scenario, folder, WAYS[asked.way] + settings)
    if why:
        return None, why
    charges = {prop: split_rate(value) for prop in ("disk", "intake") if (value := getattr(asked, prop, None))}
    return Run(folder, split_rate(rate), ADAPTER, lambda executor: SITES[executor], **charges), ""


def main():
    parser = arguments_of_one_way(__doc__, 10)
    parser.add_argument("--schedule", default="earliest_finish", help="run.schedule")
    asked = parser.parse_args()
    failed = False
    print("| sites | rate | GB between sites | of those needed | requeued | duration | busiest link | longest chain | of the bound |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, rate, scenario in scenarios(asked):
        run, why = simulate(asked, scenario, rate, "out", [f"run.schedule={asked.schedule}"])
        if run is None:
            sys.exit(f"{name} at {rate}: {why}")
        moved, duration = run.summary["wan_bytes"], run.duration
        must = needed(run, asked.way != "direct")
        # Where nothing large has to cross, nothing does: not a fiftieth of a version.
        bytes_share = moved / must if must > 0 else 1 + moved / run.size("module")
        busiest = max(float(link["bytes"]) / float(link["bandwidth_bytes_per_s"]) for link in run.links if link["kind"] == "link")
        chain = longest_chain(run)
        share = duration / max(busiest, chain)
        requeued = run.summary["tasks_requeued"]
        bad = requeued > 0 or bytes_share > MOST_BYTES or share > MOST_TIME
        failed = failed or bad
        print(f"| {name} | {rate} | {moved / 1e9:.0f} | {bytes_share:.4f} | {requeued} | {duration:,.0f} s | {busiest:,.0f} s"
              f" | {chain:,.0f} s | {share:.3f}{' **' if bad else ''} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Thin links between sites: what a run moves and how long it takes, beside what it has to move and how long it must take.

Simulates 64 paths (8x8 modules, charged as the paper's 150M path) over the four sites of tests/sim/unequal_4dc.xml, without
its spot trace, and over a mesh of four equal sites, with every link between sites as thin as asked. Prints a row a run;
ends with status 1 where a run requeues a task, moves more than 1.02 of the bytes it needs, or takes more than 1.1 of the
lower bound.

    python3 scripts/thin_links.py [--bin build/release/bin] [--steps 10] [--schedule first_free] [--sites mesh] [RATE...]
                                                                         RATE: 1Mbps 50Mbps 1Gbps

Bytes needed, between sites, by who trained what where (tasks.csv): a path's state goes to its next worker's site, an
outer gradient to its module's owner, a version from there to each worker that begins with it or has given to it, once.

Lower bound: the larger of the busiest link's bytes over its bandwidth, and the longest chain of fetch, compute, upload
and step, each alone on its links, of the tasks in the order in which the workers took them.
"""

import argparse
import collections
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SITES = ("washington", "dallas", "frankfurt", "tokyo")
RATES = ["1Mbps", "5Mbps", "10Mbps", "50Mbps", "100Mbps", "1Gbps"]
UNITS = {"Mbps": 1e6 / 8, "Gbps": 1e9 / 8}
# The fastest adapter of a host in these scenarios, bytes a second: Frankfurt's.
ADAPTER = 100e9 / 8


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


def rows(folder, name):
    with open(folder / name, newline="") as file:
        return list(csv.DictReader(file))


class Run:
    """What one simulation has left."""

    def __init__(self, folder, rate):
        self.summary = json.loads((folder / "summary.json").read_text())
        done = [task for task in rows(folder, "tasks.csv") if task["end"] == "committed"]
        self.tasks = sorted(done, key=lambda task: float(task["started_s"]))
        self.rate = rate
        self.links = [row for row in rows(folder, "links.csv") if row["kind"] == "link"]
        self.site_of = {row["worker"]: row["site"] for row in rows(folder, "workers.csv")}
        gradients = [row for row in rows(folder, "events.csv") if row["message"] == "outer_gradient"]
        owner_node = {(int(row["level"]), int(row["expert"])): row["node"] for row in gradients}
        # Node 0 coordinates; executors and stores come next, one of each at each site, in the sites' order.
        executors = sorted(set(owner_node.values()), key=int)
        first = int(executors[0])
        self.owner_site = {module: SITES[int(node) - first] for module, node in owner_node.items()}
        self.experts = 1 + max(expert for _, expert in owner_node)
        self.levels = sorted({level for level, _ in owner_node})

    def size(self, kind):
        messages = self.summary.get(f"messages_{kind}", 0)
        return self.summary[f"bytes_{kind}"] / messages if messages else 0.0

    def modules(self, path):
        """A path's shared modules: its number is that of its experts, level 0's counting most."""
        digits = (path // self.experts, path % self.experts)
        return [(level, digits[level]) for level in self.levels]

    def between(self, one, other, size):
        """Seconds that so many bytes take from site to site with nothing else on the way."""
        return size / (self.rate if one != other else ADAPTER)


def needed(run):
    """Bytes between sites."""
    total = 0.0
    steps = run.summary["outer_steps"]
    at = {}  # the site where a path's newest state is
    versions = set()
    for task in sorted(run.tasks, key=lambda task: int(task["outer_step"])):
        path, step, worker, site = int(task["path"]), int(task["outer_step"]), task["worker"], task["site"]
        if step > 0 and at[path] != site:
            total += run.size("path_state")
        at[path] = site
        for module in run.modules(path):
            if run.owner_site[module] != site:
                total += run.size("outer_gradient")
            versions |= {(worker, module, step)} if step > 0 else set()
            versions |= {(worker, module, step + 1)} if step + 1 < steps else set()
    for worker, module, _ in versions:
        if run.owner_site[module] != run.site_of[worker]:
            total += run.size("module")
    return total


def longest_chain(run):
    """Seconds of the longest chain of what waits for one another, if nothing else were on the links."""
    ready = collections.defaultdict(float)  # (module, version)
    state = {}  # (end, site) of a path's newest state
    free = collections.defaultdict(float)  # worker
    end = 0.0
    by_step = sorted(run.tasks, key=lambda task: (int(task["outer_step"]), float(task["started_s"])))
    for task in by_step:
        path, step, worker, site = int(task["path"]), int(task["outer_step"]), task["worker"], task["site"]
        begin = free[worker]
        if step > 0:
            done, where = state[path]
            begin = max(begin, done) + run.between(where, site, run.size("path_state"))
        for module in run.modules(path):
            if step > 0:
                push = run.between(run.owner_site[module], site, run.size("module"))
                begin = max(begin, ready[module, step] + push)
        computing = float(task["computed_s"]) - float(task["started_s"])
        put = begin + computing + run.between(site, site, run.size("put_path_state"))
        state[path] = (put, site)
        free[worker] = put
        for module in run.modules(path):
            given = put + run.between(site, run.owner_site[module], run.size("outer_gradient"))
            ready[module, step + 1] = max(ready[module, step + 1], given)
            end = max(end, given)
    return end


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rates", nargs="*", metavar="RATE", default=RATES)
    parser.add_argument("--bin", default=str(ROOT / "build/release/bin"))
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--schedule", default="earliest_finish", help="run.schedule")
    parser.add_argument("--sites", choices=("unequal", "mesh"), help="only these; both unless given")
    asked = parser.parse_args()
    failed = False
    print("| sites | rate | GB between sites | of those needed | requeued | duration | busiest link | longest chain | of the bound |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, make in (("unequal", wan), ("mesh", mesh)):
        if asked.sites not in (None, name):
            continue
        for rate in asked.rates:
            number, unit = re.fullmatch(r"([0-9.]+)([MG]bps)", rate).groups()
            with tempfile.TemporaryDirectory() as scratch:
                scratch = pathlib.Path(scratch)
                (scratch / f"{name}.xml").write_text(make(rate))
                subprocess.run(
                    [f"{asked.bin}/dipaco-sim", scratch / f"{name}.xml", "--learn", "off", "--events", "on", "--progress", "off",
                     "--set", "topology.levels=8x8", "--set", f"outer.steps={asked.steps}",
                     "--set", f"run.schedule={asked.schedule}", "--out", scratch / "out"],
                    check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                run = Run(scratch / "out", float(number) * UNITS[unit])
            moved, duration = run.summary["wan_bytes"], run.summary["simulated_s"]
            bytes_share = moved / needed(run)
            busiest = max(float(link["bytes"]) / float(link["bandwidth_bytes_per_s"]) for link in run.links)
            chain = longest_chain(run)
            share = duration / max(busiest, chain)
            requeued = run.summary["tasks_requeued"]
            bad = requeued > 0 or bytes_share > 1.02 or share > 1.1
            failed = failed or bad
            print(f"| {name} | {rate} | {moved / 1e9:.0f} | {bytes_share:.4f} | {requeued} | {duration:,.0f} s | {busiest:,.0f} s"
                  f" | {chain:,.0f} s | {share:.3f}{' **' if bad else ''} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""What a run has to move between sites, and how long it must take: for thin_links.py and real_vs_sim.sh.

Bytes needed, between sites, by who trained what where (tasks.csv): a path's state goes to its next worker's site, an
outer gradient to its module's owner, a version from there to each worker that begins with it or has given to it, once.
That is with run.site_cache=off. With caches a version goes to each site with such a worker once, and with
run.site_sums=off an outer gradient as before.

Lower bound: the larger of the busiest link's bytes over its bandwidth, and the longest chain of fetch, compute, upload
and step, each alone on its links, of the tasks in the order in which the workers took them.

    python3 scripts/thin_bound.py FOLDER RATE OWNERS [caches]

prints both for the run in FOLDER, which was run with --events on. Its sites have lines of RATE each way (5mbit, or
a=40mbit,b=15mbit), and all executors are at the site OWNERS. Ends with status 1 where a task was requeued, more than 1.02
of the bytes needed were moved, or the run took more than 1.1 of the lower bound.
"""

import collections
import csv
import json
import pathlib
import sys

MOST_BYTES = 1.02
MOST_TIME = 1.1


def rows(folder, name):
    with open(folder / name, newline="") as file:
        return list(csv.DictReader(file))


class Run:
    """What one run has left."""

    def __init__(self, folder, rate, adapter, site_of_executor, disk=float("inf"), intake=float("inf")):
        """Bytes a second between sites (of each site, where it is a dict) and within one; site_of_executor(number) of those
        that own modules, from 0; bytes a second that a disk writes and reads, and that a node takes in."""
        self.summary = json.loads((folder / "summary.json").read_text())
        done = [task for task in rows(folder, "tasks.csv") if task["end"] == "committed"]
        self.tasks = sorted(done, key=lambda task: float(task["started_s"]))
        self.rate, self.adapter, self.disk, self.intake = rate, adapter, disk, intake
        self.duration = self.summary.get("simulated_s", self.summary.get("elapsed_s"))
        self.links = rows(folder, "links.csv")
        self.site_of = {row["worker"]: row["site"] for row in rows(folder, "workers.csv")}
        stepped = [row for row in rows(folder, "events.csv") if row["event"] == "module_stepped"]
        # Node 0 coordinates; executors come next, one at each site, in the sites' order.
        self.stepped_at = {(int(row["level"]), int(row["expert"]), int(row["version"])): site_of_executor(int(row["node"]) - 1)
                           for row in stepped}
        self.experts = 1 + max(expert for _, expert, _ in self.stepped_at)
        self.levels = sorted({level for level, _, _ in self.stepped_at})

    def size(self, kind):
        messages = self.summary.get(f"messages_{kind}", 0)
        return self.summary[f"bytes_{kind}"] / messages if messages else 0.0

    def modules(self, path):
        """A path's shared modules: its number is that of its experts, level 0's counting most."""
        digits = (path // self.experts, path % self.experts)
        return [(level, digits[level]) for level in self.levels]

    def owner_site(self, module, version):
        """Where this version was made: owners change only with faults."""
        return self.stepped_at[(*module, version)]

    def between(self, one, other, size, disks=0):
        """Seconds that so many bytes take from site to site with nothing else on the way, and to be taken in, and to be
        read or written so many times."""
        line = min(self.rate_of(one), self.rate_of(other)) if one != other else self.adapter
        return size / line + size / self.intake + disks * size / self.disk

    def rate_of(self, site):
        return self.rate[site] if isinstance(self.rate, dict) else self.rate


def needed(run, caches=False):
    """Bytes between sites."""
    total = 0.0
    steps = run.summary["outer_steps"]
    at = {}  # the site where a path's newest state is
    versions = set()  # of whom, of what
    for task in sorted(run.tasks, key=lambda task: int(task["outer_step"])):
        path, step, worker, site = int(task["path"]), int(task["outer_step"]), task["worker"], task["site"]
        if step > 0 and at[path] != site:
            total += run.size("path_state")
        at[path] = site
        for module in run.modules(path):
            if run.owner_site(module, step + 1) != site:
                total += run.size("outer_gradient")
            whose = site if caches else worker
            versions |= {(whose, site, module, step)} if step > 0 else set()
            versions |= {(whose, site, module, step + 1)} if step + 1 < steps else set()
    for _, site, module, version in versions:
        if run.owner_site(module, version) != site:
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
            begin = max(begin, done) + run.between(where, site, run.size("path_state"), disks=1)
        for module in run.modules(path):
            if step > 0:
                push = run.between(run.owner_site(module, step), site, run.size("module"))
                begin = max(begin, ready[module, step] + push)
        computing = float(task["computed_s"]) - float(task["started_s"])
        put = begin + computing + run.between(site, site, run.size("put_path_state"), disks=1)
        state[path] = (put, site)
        free[worker] = put
        for module in run.modules(path):
            given = put + run.between(site, run.owner_site(module, step + 1), run.size("outer_gradient"), disks=1)
            ready[module, step + 1] = max(ready[module, step + 1], given)
            end = max(end, given)
    return end


def read_rates(text):
    """Bytes a second, of "5mbit" or of each site in "a=40mbit,b=15mbit"."""
    if "=" in text:
        return {site: read_rates(rate) for site, rate in (part.split("=") for part in text.split(","))}
    return float(text.removesuffix("mbit")) * 1e6 / 8


def main():
    folder, rate, owners = sys.argv[1:4]
    rate = read_rates(rate)
    run = Run(pathlib.Path(folder), rate, float("inf"), lambda _: owners)
    sums = collections.Counter()
    for row in run.links:
        if row["kind"] == "sites" and row["from_site"] != row["to_site"]:
            sums["from", row["from_site"]] += int(row["bytes"])
            sums["to", row["to_site"]] += int(row["bytes"])
    busiest = max(moved / run.rate_of(site) for (_, site), moved in sums.items())
    chain = longest_chain(run)
    moved, must = run.summary["wan_bytes"], needed(run, "caches" in sys.argv[4:])
    requeued, share = run.summary["tasks_requeued"], run.duration / max(busiest, chain)
    print(f"{folder}: {moved / 1e6:.2f} MB between sites, {moved / must:.3f} of those needed; {requeued} requeued;"
          f" {run.duration:.1f} s, busiest line {busiest:.1f} s, longest chain {chain:.1f} s: {share:.3f} of the bound")
    return 1 if requeued > 0 or moved > MOST_BYTES * must or share > MOST_TIME else 0


if __name__ == "__main__":
    sys.exit(main())

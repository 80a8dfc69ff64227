#!/usr/bin/env python3
"""A worker that computes at a third of its speed from the middle of a run on: what that costs, with backup tasks and without.

Simulates 8 paths (2x4 modules, charged as the paper's 150M path) on 9 equal workers of one site, 12 outer steps; one
worker becomes slow in the sixth outer step, when it has done a twentieth of its task, or a half. Prints a row a run.
Ends with status 1 where a run with backup tasks takes more than 1.2 times the undisturbed one, where the worker is not
named by the end of the second task that it was slow in, or where a run without backup tasks does not take what
arithmetic says.

    python3 scripts/stragglers.py [--bin build/release/bin]

Arithmetic, without backup tasks: the task at hand ends late by what it has left, times two; so does its outer step,
since all paths share modules. By then the worker is known to be slow, and the spare worker takes its place.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
STEPS = 12
SLOW_STEP = 5  # the sixth outer step
SHARES = (0.05, 0.5)  # of the task that is done when its worker becomes slow

PLATFORM = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="site" routing="Full">
    <prop id="workers" value="worker-[0-8]"/>
    <prop id="executors" value="other"/>
    <prop id="store" value="other"/>
    <prop id="mfu" value="0.4"/>
    {hosts}
    <host id="other" speed="312Tf"/>
    {links}
    {routes}
  </zone>
</platform>
"""


def platform(slow_from):
    names = [f"worker-{number}" for number in range(9)]
    profile = ' speed_file="slow.profile"' if slow_from else ""
    hosts = [f'<host id="{name}" speed="312Tf"{profile if name == "worker-0" else ""}/>' for name in names]
    links = [f'<link id="{name}" bandwidth="25Gbps" latency="50us"/>' for name in names + ["other"]]
    pairs = [(one, two) for place, one in enumerate(names + ["other"]) for two in (names + ["other"])[place + 1 :]]
    routes = [f'<route src="{one}" dst="{two}"><link_ctn id="{one}"/><link_ctn id="{two}"/></route>' for one, two in pairs]
    return PLATFORM.format(hosts="".join(hosts), links="".join(links), routes="".join(routes))


def rows(folder, name):
    with open(folder / name, newline="") as file:
        return list(csv.DictReader(file))


class Run:
    def __init__(self, program, folder, slow_from=None, backups=False):
        folder.mkdir()
        (folder / "platform.xml").write_text(platform(slow_from))
        if slow_from:
            (folder / "slow.profile").write_text(f"0 1.0\n{slow_from} {1 / 3}\n")
        words = [program, folder / "platform.xml", "--run", ROOT / "scenarios/runs/wan_4dc.cfg", "--learn", "off"]
        words += ["--out", folder / "out", "--events", "on", "--progress", "off", "--set", f"outer.steps={STEPS}"]
        words += ["--set", "evaluate.every=0", "--set", f"run.backup_tasks={'on' if backups else 'off'}"]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        self.summary = json.loads((folder / "out/summary.json").read_text())
        hosts = {row["worker"]: row["host"] for row in rows(folder / "out", "workers.csv")}
        self.tasks = [task | {"host": hosts[task["worker"]]} for task in rows(folder / "out", "tasks.csv")]
        self.events = rows(folder / "out", "events.csv")
        self.duration = self.summary["simulated_s"]

    def task_of(self, host, step):
        return next(task for task in self.tasks if task["host"] == host and int(task["outer_step"]) == step)

    def slow_tasks_before_named(self, host, slow_from):
        """Of the slow worker's tasks, how many have ended when it is named, that one included; None: never named."""
        named = [float(event["time_s"]) for event in self.events if event["event"] == "worker_slow"]
        if not named:
            return None
        ends = [float(task["computed_s"]) for task in self.tasks if task["host"] == host and task["computed_s"]]
        return sum(1 for end in ends if slow_from < end <= named[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    program = parser.parse_args().bin / "dipaco-sim"
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        plain = Run(program, folder / "plain")
        task = plain.task_of("worker-0", SLOW_STEP)
        begun, computing = float(task["started_s"]), float(task["computed_s"]) - float(task["started_s"])
        print(f"a task computes for {computing:.1f} s; undisturbed, the run takes {plain.duration:.1f} s")
        print("slow after   backup tasks   duration   of undisturbed   arithmetic   backups   tasks until named")
        for share in SHARES:
            slow_from = begun + share * computing
            expected = plain.duration + 2 * (1 - share) * computing
            for backups in (False, True):
                run = Run(program, folder / f"{share}{backups}", slow_from, backups)
                twice = len(run.tasks) - run.summary["tasks_completed"]
                named = run.slow_tasks_before_named("worker-0", slow_from)
                ratio = run.duration / plain.duration
                row = f"{share:10.0%} {'on' if backups else 'off':>14} {run.duration:10.1f} {ratio:16.3f}"
                print(f"{row} {'' if backups else f'{expected:.1f}':>12} {twice:9} {named or '-':>19}")
                if named not in (1, 2):
                    missed.append(f"the slow worker is named after {named} of its tasks")
                if backups and ratio > 1.2:
                    missed.append(f"with backup tasks the run takes {ratio:.3f} of the undisturbed")
                if not backups and abs(run.duration - expected) > 0.02 * expected:
                    missed.append(f"without backup tasks the run takes {run.duration:.1f} s")
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Real processes, one of which computes at a third of its speed from the middle of a run on: what that costs.

Runs scenarios/runs/tiny.cfg with dipaco-run: four paths on five equal workers, 12 outer steps, all processes on this
machine. Each worker has a control group with the same share of a processor; in the sixth outer step one worker's share
becomes a third of it, about when it has done a tenth of its task, or a half; each row says how much it had done. Ends
with status 1 where a run with backup tasks takes more than 1.2 times the undisturbed one, where the worker is not named
by the end of the second task that it was slow in, where a run without backup tasks does not take what arithmetic says
(within 5 %), or where the parameters are others.

Arithmetic: a run without backup tasks takes as much longer than the undisturbed one as the task in which the worker
became slow. That is measured: with a third of the time a worker computes a little less than a third. A line says the
same of that outer step by the run's own other steps: that holds as well where the processor was not as fast in both.

    python3 scripts/slow_worker.py [--bin build/release/bin] [--share 0.15]

scripts/stragglers.py does the same in a simulation. Needs root, for the control groups, and a
processor that is free for five times the share.
"""

import argparse
import csv
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
PATHS = 4
WORKERS = 5
STEPS = 12
SLOW_STEP = 5  # the sixth outer step
SHARES = (0.1, 0.5)  # of the task that is done when its worker becomes slow
PERIOD = 500_000  # microseconds, of a control group's quota: with 5 ms of each 100 a worker's caches are always cold
FIRST_WORKER = 3  # node numbers: the coordinator, executor and store come before
TOLERANCE = 0.05

SETTINGS = [f"outer.steps={STEPS}", "inner.steps=300", "evaluate.every=0", "evaluate.dense_equal_steps=off"]


class ControlGroup:
    """Limits a process to a share of one processor, by version 1 or 2 of the kernel's control groups."""

    def __init__(self, name):
        one = pathlib.Path("/sys/fs/cgroup/cpu")
        self.one = one.is_dir()
        self.folder = (one if self.one else pathlib.Path("/sys/fs/cgroup")) / name
        if not self.one:
            pathlib.Path("/sys/fs/cgroup/cgroup.subtree_control").write_text("+cpu")
        self.folder.mkdir()

    def add(self, process):
        (self.folder / "cgroup.procs").write_text(str(process))

    def limit(self, share):
        quota = int(share * PERIOD)
        if self.one:
            (self.folder / "cpu.cfs_period_us").write_text(str(PERIOD))
            (self.folder / "cpu.cfs_quota_us").write_text(str(quota))
        else:
            (self.folder / "cpu.max").write_text(f"{quota} {PERIOD}")

    def remove(self):
        self.folder.rmdir()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Run:
    """One run from its start to its end. `slow_after`: seconds from the sixth outer step's begin until one becomes slow."""

    def __init__(self, program, folder, share, slow_after=None, backups=False):
        folder.mkdir()
        self.folder, self.share = folder, share
        meeting, self.metrics = free_port(), free_port()
        settings = SETTINGS + [f"run.backup_tasks={'on' if backups else 'off'}"]
        self.words = [str(program), "--backend", "gloo", "--run", str(ROOT / "scenarios/runs/tiny.cfg")]
        self.words += ["--rendezvous", f"tcp://127.0.0.1:{meeting}", "--out", str(folder / "out"), "--threads", "1"]
        self.words += ["--progress", "off", "--events", "on"] + [word for one in settings for word in ("--set", one)]
        self.started, self.groups = [], []
        try:
            self.go(slow_after)
        finally:
            for process in self.started:
                if process.poll() is None:
                    process.send_signal(signal.SIGKILL)
                process.wait()
            for group in self.groups:
                group.remove()
        self.read()

    def start(self, name, *words):
        with open(self.folder / f"{name}.log", "w") as log:
            self.started.append(subprocess.Popen(self.words + list(words), stdout=log, stderr=log))
        return self.started[-1]

    def log(self):
        return (self.folder / "main.log").read_text()

    def wait_for(self, what, limit=120):
        until = time.monotonic() + limit
        while not what():
            if time.monotonic() > until or any(process.poll() for process in self.started):
                sys.exit(f"a run does not go on:\n{self.log()[-2000:]}")
            time.sleep(0.02)

    def status(self, key):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics}/status.json", timeout=1) as answer:
                return json.load(answer).get(key, 0)
        except (OSError, ValueError):
            return 0

    def busiest_for(self, seconds):
        """The worker that computes most in the next seconds: one of five has no task."""

        def used():
            stats = [pathlib.Path(f"/proc/{one.pid}/stat").read_text().rsplit(")", 1)[1].split() for one in self.started[1:]]
            return [int(stat[11]) + int(stat[12]) for stat in stats]

        before = used()
        time.sleep(seconds)
        growth = [after - early for after, early in zip(used(), before)]
        return growth.index(max(growth))

    def go(self, slow_after):
        roles = ("--role", "coordinator", "--role", "executor", "--role", "store")
        main = self.start("main", *roles, "--metrics", f"127.0.0.1:{self.metrics}")
        for number in range(WORKERS):
            worker = self.start(f"worker-{number}", "--role", "worker")
            group = ControlGroup(f"dipaco-{os.getpid()}-{len(self.groups)}")
            self.groups.append(group)
            group.limit(self.share)
            group.add(worker.pid)
            self.wait_for(lambda: f"node {FIRST_WORKER + number} (worker" in self.log())
        if slow_after is not None:
            self.wait_for(lambda: self.status("tasks_completed") >= PATHS * SLOW_STEP - 2, 600)
            self.slow_one = self.busiest_for(slow_after)
            self.groups[self.slow_one].limit(self.share / 3)
            self.slow_from = self.status("elapsed_s")
        for process in self.started:
            if process.wait(600):
                sys.exit(f"a process has failed:\n{self.log()[-2000:]}")
        assert main.returncode == 0

    def read(self):
        out = self.folder / "out"
        self.summary = json.loads((out / "summary.json").read_text())
        with open(out / "tasks.csv", newline="") as file:
            self.tasks = list(csv.DictReader(file))
        with open(out / "events.csv", newline="") as file:
            self.events = list(csv.DictReader(file))
        self.duration = self.summary["elapsed_s"]

    def of_slow_one(self):
        return [task for task in self.tasks if int(task["worker"]) == FIRST_WORKER + self.slow_one]

    def task_at(self, moment):
        """Of the one that became slow: seconds from the task's begin to that moment."""
        for task in self.of_slow_one():
            if task["started_s"] and float(task["started_s"]) <= moment and (
                    not task["computed_s"] or moment < float(task["computed_s"])):
                return moment - float(task["started_s"])
        sys.exit(f"the worker that is to become slow has no task at {moment:.2f} s")

    def slow_task(self, moment):
        """How long it computed for the task that it had then, in seconds."""
        ends = [float(task["computed_s"]) for task in self.of_slow_one() if task["computed_s"]]
        return min(end for end in ends if end > moment) - (moment - self.task_at(moment))

    def slow_step(self):
        """How long the outer step took in which one became slow, and what that task and the other steps make of it."""
        with open(self.folder / "out" / "outer_steps.csv", newline="") as file:
            ends = [0.0] + [float(step["end_s"]) for step in csv.DictReader(file)]
        times = [end - begin for begin, end in zip(ends, ends[1:])]
        others = sorted(times[:SLOW_STEP] + times[SLOW_STEP + 1:])
        return times[SLOW_STEP], others[len(others) // 2] + self.slow_task(self.slow_from) - usual_task(self)

    def tasks_until_named(self, slow_from):
        named = [float(event["time_s"]) for event in self.events if event["event"] == "worker_slow"]
        named = [at for at in named if at > slow_from]
        if not named:
            return None
        ends = [float(task["computed_s"]) for task in self.of_slow_one() if task["computed_s"]]
        return sum(1 for end in ends if slow_from < end <= named[0])


def usual_task(run):
    times = sorted(float(task["computed_s"]) - float(task["started_s"]) for task in run.tasks)
    return times[len(times) // 2]


def judge(run, plain, computing, backups):
    """What a run missed; prints its row."""
    done = min(1, run.task_at(run.slow_from) / computing)
    expected = plain.duration
    if not backups:
        expected += run.slow_task(run.slow_from) - computing
    twice = len(run.tasks) - run.summary["tasks_completed"]
    named = run.tasks_until_named(run.slow_from)
    ratio = run.duration / plain.duration
    row = f"{done:10.0%} {'on' if backups else 'off':>14} {run.duration:10.1f} {ratio:16.3f}"
    print(f"{row} {'' if backups else f'{expected:.1f}':>12} {twice:9} {'-' if named is None else named:>19}", flush=True)
    if not backups:
        print("{:>10} the outer step took {:.1f} s; by the run's own other steps {:.1f} s".format("", *run.slow_step()))
    missed = []
    if run.summary["parameters_hash"] != plain.summary["parameters_hash"]:
        missed.append("the parameters are others")
    if named not in (0, 1, 2):
        missed.append(f"the slow worker is named after {named} of its tasks")
    if backups and ratio > 1.2:
        missed.append(f"with backup tasks the run takes {ratio:.3f} of the undisturbed")
    if not backups and abs(run.duration - expected) > TOLERANCE * expected:
        missed.append(f"without backup tasks the run takes {run.duration:.1f} s, not {expected:.1f} s")
    return missed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--share", type=float, default=0.15, help="of a processor, for each worker [0.15]")
    options = parser.parse_args()
    program = options.bin / "dipaco-run"
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        plain = Run(program, folder / "plain", options.share)
        computing = usual_task(plain)
        print(f"a task computes for {computing:.1f} s; undisturbed, the run takes {plain.duration:.1f} s")
        print("slow after   backup tasks   duration   of undisturbed   arithmetic   backups   tasks until named", flush=True)
        for done in SHARES:
            for backups in (False, True):
                run = Run(program, folder / f"{done}{backups}", options.share, done * computing, backups)
                missed += judge(run, plain, computing, backups)
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

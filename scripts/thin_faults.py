#!/usr/bin/env python3
"""Thin links and faults: what a run moves between sites under drawn faults, beside what it has to move and what the lost
ones cost.

The runs of thin_links.py, with a third as many faults as tasks, drawn as scripts/torture.sh draws them: nodes that start
again, stand still or are cut off, for a moment or for longer than liveness.limit, and now and then a worker that goes
for good. Prints a row a run; ends with status 1 where a run does not end, or moves more than 1.02 of the bytes it needs
and those that the lost ones cost:

- what was cut on its way: sent, and not arrived;
- states and modules that workers, or the cache of their site, were given for tasks that they did not commit;
- states that went to a store of another site, as their site's own was away when the task was given out;
- what a node had been given and forgot when it went off: a worker its modules, an executor the outer gradients that it
  had not stepped with, also when it and the coordinator had lost each other, or another became the owner.

    python3 scripts/thin_faults.py [--bin build/release/bin] [--steps 4] [--seeds 3] [--sites mesh] [--way known] [RATE...]
"""

import bisect
import collections
import random
import sys

from thin_bound import MOST_BYTES, needed, rows
from thin_links import SITES, arguments_of_one_way, scenarios, simulate

LIMIT = 10.0  # seconds: liveness.limit
WORKERS = {"unequal": 10, "mesh": 16}
COORDINATOR = "washington"
GIVEN = ("outer_gradient", "path_module")  # to a module's owner; the second to make the first again


def draw_faults(seed, duration, count, workers):
    """Keys of [faults]: as tests/failure/drawn_faults.cpp, at moments of the undisturbed run's duration. And when which
    executors and the coordinator lose each other."""
    dice = random.Random(seed)
    drawn = collections.defaultdict(list)
    parted = []
    for _ in range(count):
        kind = dice.choice(("kill", "restart", "freeze", "delay", "cut", "disk_full", "short_write", "sync_error"))
        role = dice.choice(("worker", "executor", "store", "coordinator"))
        number = dice.randrange({"worker": workers, "executor": len(SITES), "store": len(SITES)}.get(role, 1))
        lasting = dice.choice((0.07, 2.7)) * LIMIT * (0.5 + dice.random())
        time = duration * dice.random()
        # What others cannot do goes off for a while only: there is one copy of each state.
        if kind == "kill" and (role != "worker" or len(drawn["kill"]) == workers // 4 or dice.random() < 0.75):
            kind = "restart"
        if kind in ("disk_full", "short_write", "sync_error") and role == "worker":
            kind = "restart"
        storing = ",storing" if kind in ("disk_full", "short_write", "sync_error") else ""
        lasts = "" if kind == "kill" else f",for={lasting:.3f}s"
        if kind in ("cut", "freeze") and lasting > LIMIT and role in ("coordinator", "executor"):
            parted += [(time, str(1 + k)) for k in range(len(SITES)) if role == "coordinator" or k == number]
        drawn[kind].append(f"{role}:{number}@time={time:.3f}s{storing}{lasts}")
    return [f"faults.{kind}={'; '.join(faults)}" for kind, faults in drawn.items()], parted


class Losses:
    """What the lost ones cost, in bytes between sites."""

    def __init__(self, run, folder, parted):
        self.run = run
        events = rows(folder, "events.csv")
        # The coordinator, executors, stores, workers.
        self.site_of = {"0": COORDINATOR, **{str(1 + k): SITES[k % len(SITES)] for k in range(2 * len(SITES))}, **run.site_of}
        self.came = [e for e in events if e["event"] == "transfer" and self.site_of[e["node"]] != self.site_of[e["peer"]]]
        self.down = parted + [(float(e["time_s"]), e["node"]) for e in events if e["event"] == "node_down"]
        self.stepped = collections.defaultdict(list)  # module: when, ascending
        self.versions = collections.defaultdict(list)  # module: which, in that order
        self.steppers = collections.defaultdict(list)  # module: which executors, in that order
        for e in events:
            if e["event"] == "module_stepped":
                self.stepped[e["level"], e["expert"]].append(float(e["time_s"]))
                self.versions[e["level"], e["expert"]].append(int(e["version"]))
                self.steppers[e["level"], e["expert"]].append(e["node"])
        self.tasks = rows(folder, "tasks.csv")

    def cut(self):
        return self.run.summary["wan_bytes"] - sum(int(e["bytes"]) for e in self.came)

    def attempts(self):
        """What workers were given for tasks that they did not commit."""
        committed = collections.defaultdict(list)  # path and worker: from when to when a task was given until it began
        for task in self.tasks:
            if task["end"] == "committed":
                committed[task["path"], task["worker"]].append((float(task["assigned_s"]), float(task["started_s"])))

        def is_used(transfer):
            begun, came = float(transfer["begin_s"]), float(transfer["time_s"])
            return any(given <= begun and came <= started for given, started in committed[transfer["path"], transfer["node"]])

        states = sum(int(e["bytes"]) for e in self.came if e["message"] == "path_state" and not is_used(e))
        return states + sum(int(e["bytes"]) for e in self.came if e["message"] == "module" and self.is_unused(e))

    def is_unused(self, transfer):
        """A module of which no task that its site has committed begins with the version, or has given to it; but for
        modules that forgotten() counts."""
        module = (transfer["level"], transfer["expert"])
        before = bisect.bisect(self.stepped[module], float(transfer["begin_s"]))
        version = max(self.versions[module][:before], default=0)  # an owner that began anew may say one twice
        lost = any(node == transfer["node"] and self.in_use(transfer, when) for when, node in self.down)
        return not lost and not any(
            task["site"] == self.site_of[transfer["node"]] and int(task["outer_step"]) in (version - 1, version)
            and module in [(str(level), str(expert)) for level, expert in self.run.modules(int(task["path"]))]
            for task in self.run.tasks)

    def put_afar(self):
        return sum(int(e["bytes"]) for e in self.came if e["message"] == "put_path_state")

    def forgotten(self):
        """What nodes that went off had been given, and had not done with; and executors that owned the module no more."""
        off = sum(int(e["bytes"]) for when, node in self.down for e in self.came if e["node"] == node and self.in_use(e, when))
        return off + sum(int(e["bytes"]) for e in self.came if e["message"] in GIVEN and not self.steps_with(e))

    def steps_with(self, transfer):
        module = (transfer["level"], transfer["expert"])
        after = bisect.bisect(self.stepped[module], float(transfer["time_s"]))
        return after == len(self.steppers[module]) or self.steppers[module][after] == transfer["node"]

    def in_use(self, transfer, when):
        arrived = float(transfer["time_s"])
        if arrived > when:
            return False
        steps = self.stepped[transfer["level"], transfer["expert"]]
        if transfer["message"] in GIVEN:  # until its module has stepped
            return bisect.bisect(steps, arrived) == bisect.bisect(steps, when)
        if transfer["message"] == "module":  # until the one after it has stepped, and workers have done with it
            return bisect.bisect(steps, when) - bisect.bisect(steps, arrived) <= 1
        return False


def main():
    parser = arguments_of_one_way(__doc__, 4)
    parser.add_argument("--seeds", type=int, default=3)
    asked = parser.parse_args()
    limit = f"liveness.limit={LIMIT}s"
    count = 64 * asked.steps // 3
    failed = False
    print("| sites | rate | seed | faults | requeued | GB between sites | needed | cut | attempts | put afar | forgotten | of their sum | duration |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for name, rate, scenario in scenarios(asked):
        undisturbed, why = simulate(asked, scenario, rate, "undisturbed", [limit])
        if undisturbed is None:
            sys.exit(f"{name} at {rate}: {why}")
        for seed in range(asked.seeds):
            faults, parted = draw_faults(seed, undisturbed.duration, count, WORKERS[name])
            run, why = simulate(asked, scenario, rate, str(seed), [limit, *faults])
            if run is None:
                failed = True
                print(f"| {name} | {rate} | {seed} | {count} | {why} **", flush=True)
                continue
            losses = Losses(run, scenario.parent / str(seed), parted)
            parts = [needed(run, asked.way != "direct"), losses.cut(), losses.attempts(), losses.put_afar(), losses.forgotten()]
            moved = run.summary["wan_bytes"]
            share = moved / sum(parts) if moved > 0 else 0.0
            bad = share > MOST_BYTES
            failed = failed or bad
            print(f"| {name} | {rate} | {seed} | {count} | {run.summary['tasks_requeued']} | {moved / 1e9:.1f} | "
                  + " | ".join(f"{part / 1e9:.1f}" for part in parts)
                  + f" | {share:.3f}{' **' if bad else ''} | {run.duration / undisturbed.duration:.2f} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

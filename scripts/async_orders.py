#!/usr/bin/env python3
"""Asynchronous Local-SGD (arXiv 2401.09135) beside DiLoCo: which is better, and by how much, at a size for two cores.

Four workers at one site train one small model on random shards of the shipped corpus (all paths share all modules):
after a dense start, 40 times 20 inner steps a path. Their inner steps take 0.58 s each (none), up to 0.70 s (slight), up
to 1.51 s (moderate), or 0.58, 0.75, 1.51 and 3.33 s (very), which are the authors' own. Methods: outer Nesterov, in
rounds and on arrival, Delayed Nesterov without and with inner steps by speed (DyLU), and outer SGD.

    python3 scripts/async_orders.py FOLDER [--bin build/release/bin] [--jobs N] [--seeds 1,2,3]

The outer learning rate of each method is the best of the paper's list on another seed, with equal workers. Then each
method is run on each platform and seed. FOLDER keeps all runs: the same command goes on where it was stopped, and
prints what is there. Two cores take about an hour.
"""

import argparse
import concurrent.futures
import json
import pathlib
import shutil
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLATFORMS = {
    "none": (0.58, 0.58, 0.58, 0.58),
    "slight": (0.58, 0.62, 0.66, 0.70),
    "moderate": (0.58, 0.75, 1.0, 1.51),
    "very": (0.58, 0.75, 1.51, 3.33),
}
RATES = ("0.7", "0.3", "0.1", "0.03")
RATES_SEED = 101  # none that is reported
ASYNC = ["outer.policy=asynchronous", "outer.grace=2s"]  # Alg. 2: who ends so soon after another begins with it
METHODS = {
    "nesterov": ["outer.policy=synchronous"],
    "async-nesterov": ASYNC + ["outer.optimizer=nesterov"],
    "dn": ASYNC,
    "dn-dylu": ASYNC + ["inner.dylu=on"],
    "dn-dylu-no-grace": ["outer.policy=asynchronous", "inner.dylu=on"],
    "sgd": ["outer.policy=synchronous", "outer.optimizer=sgd"],
    "async-sgd": ASYNC + ["outer.optimizer=sgd"],
}
# In rounds, unequal machines change the time alone: with each schedule.
EVERYWHERE = ("async-nesterov", "dn", "dn-dylu", "dn-dylu-no-grace")
SAME_RATE = {"dn-dylu": "dn", "dn-dylu-no-grace": "dn"}
RUN = """
[model]
blocks=2
hidden=64
heads=2
head_size=32
vocabulary=1024
sequence=64
[topology]
levels=shared:4
[data]
train={corpus}/*.jsonl.gz
[pretrain]
steps=300
[routing]
method=random
[inner]
steps=20
batch=8
learning_rate=2e-3
final_learning_rate=1e-5
warmup=50
[outer]
steps=40
[evaluate]
every=0
dense_equal_steps=off
"""


def platform(steps):
    hosts = "".join(
        f'    <host id="w{k}" speed="1Tf"><prop id="step_time" value="{step}s"/></host>\n'
        f'    <link id="w{k}-nic" bandwidth="10Gbps" latency="50us" sharing_policy="SPLITDUPLEX"/>\n'
        for k, step in enumerate(steps)
    )
    routes = "".join(
        f'    <route src="w{k}" dst="gateway"><link_ctn id="w{k}-nic" direction="UP"/></route>\n' for k in range(4)
    )
    return f"""<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <config>
    <prop id="network/model" value="CM02"/>
    <prop id="network/crosstraffic" value="0"/>
  </config>
  <zone id="site" routing="Floyd">
    <prop id="run" value="run.cfg"/>
    <prop id="coordinator" value="files"/>
    <prop id="workers" value="w[0-3]"/>
    <prop id="executors" value="files"/>
    <prop id="store" value="files"/>
    <host id="files" speed="1Tf"/>
    <link id="files-nic" bandwidth="10Gbps" latency="50us" sharing_policy="SPLITDUPLEX"/>
    <router id="gateway"/>
{hosts}    <route src="files" dst="gateway"><link_ctn id="files-nic" direction="UP"/></route>
{routes}  </zone>
</platform>
"""


class Study:
    def __init__(self, folder, binary):
        self.folder, self.binary = folder, binary
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "run.cfg").write_text(RUN.format(corpus=ROOT / "scenarios/corpus"))
        for name, steps in PLATFORMS.items():
            (folder / f"{name}.xml").write_text(platform(steps))

    def simulate(self, name, platform_name, seed, settings, learn="on"):
        """Its summary; runs it unless it is there."""
        out = self.folder / "runs" / name
        done = out / "summary.json"
        if not (done.exists() and json.loads(done.read_text()).get("finished")):
            shutil.rmtree(out, ignore_errors=True)  # of a run that was stopped
            command = [self.binary / "dipaco-sim", self.folder / f"{platform_name}.xml", "--out", out, "--seed", str(seed)]
            command += ["--progress", "off", "--threads", "1", "--learn", learn, "--format", "json"]
            for setting in settings:
                command += ["--set", setting]
            ended = subprocess.run(command, capture_output=True, text=True)
            if ended.returncode != 0:
                raise SystemExit(f"{name}: {ended.stderr.strip()}")
        return json.loads(done.read_text())


def all_of(jobs, count):
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return dict(zip(jobs, pool.map(lambda job: job(), jobs.values())))


def perplexity(summary):
    return summary["validation_perplexity"]


def pick_rates(study, jobs):
    """The best rate of each method, on a seed and with workers that are not reported."""
    runs = {
        (method, rate): (
            lambda method=method, rate=rate: study.simulate(
                f"rate-{method}-{rate}", "none", RATES_SEED, METHODS[method] + [f"outer.learning_rate={rate}"]
            )
        )
        for method in METHODS
        if method not in SAME_RATE
        for rate in RATES
    }
    ended = all_of(runs, jobs)
    best = {}
    print("| method | " + " | ".join(RATES) + " |\n|---|" + "---|" * len(RATES))
    for method in dict.fromkeys(method for method, _ in runs):
        values = {rate: perplexity(ended[method, rate]) for rate in RATES}
        best[method] = min(values, key=values.get)
        print(f"| {method} | " + " | ".join(f"{values[rate]:.2f}" for rate in RATES) + " |")
    return best | {method: best[other] for method, other in SAME_RATE.items()}


def interval(values):
    """Mean and half of the paired 95 % interval (Student's t)."""
    t = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}[len(values)]
    return statistics.mean(values), t * statistics.stdev(values) / len(values) ** 0.5


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seeds", default="1,2,3")
    options = parser.parse_args()
    seeds = [int(seed) for seed in options.seeds.split(",")]
    if len(seeds) < 2:
        parser.error("--seeds: an interval needs two seeds at least")
    study = Study(options.folder.resolve(), options.bin.resolve())
    rates = pick_rates(study, options.jobs)
    runs = {
        (name, method, seed): (
            lambda name=name, method=method, seed=seed: study.simulate(
                f"{name}-{method}-{seed}", name, seed, METHODS[method] + [f"outer.learning_rate={rates[method]}"]
            )
        )
        for name in PLATFORMS
        for method in METHODS
        if name == "none" or method in EVERYWHERE
        for seed in seeds
    }
    ended = all_of(runs, options.jobs)
    times = {
        (name, schedule): study.simulate(
            f"time-{name}-{schedule}", name, seeds[0], METHODS["nesterov"] + [f"run.schedule={schedule}"], learn="off"
        )["simulated_s"]
        for name in PLATFORMS
        for schedule in ("first_free", "earliest_finish")
    }
    base = {seed: perplexity(ended["none", "nesterov", seed]) for seed in seeds}
    print(f"\nseeds {options.seeds}; paired differences with synchronous Nesterov, 95 % intervals\n")
    print("| machines | method | rate | perplexity | difference | simulated s |\n|---|---|---|---|---|---|")
    for name in PLATFORMS:
        for schedule in ("first_free", "earliest_finish"):
            mean = statistics.mean(base.values())
            print(f"| {name} | nesterov, {schedule} | {rates['nesterov']} | {mean:.2f} | | {times[name, schedule]:.0f} |")
        for method in METHODS:
            if method == "nesterov" or (name, method, seeds[0]) not in ended:
                continue
            values = [perplexity(ended[name, method, seed]) for seed in seeds]
            mean, half = interval([value - base[seed] for value, seed in zip(values, seeds)])
            seconds = statistics.mean(ended[name, method, seed]["simulated_s"] for seed in seeds)
            print(
                f"| {name} | {method} | {rates[method]} | {statistics.mean(values):.2f} | {mean:+.2f} ± {half:.2f} | "
                f"{seconds:.0f} |"
            )


if __name__ == "__main__":
    main()

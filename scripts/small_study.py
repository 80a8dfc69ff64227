"""What studies of small simulated runs share: async_orders.py, async_study.py and diloco_tables.py.

One small model on the shipped corpus (two blocks of width 64); all paths share all modules. Workers are machines of one
site, so fast that nothing but training takes time. A study's folder keeps all runs: who was stopped goes on.
"""

import argparse
import concurrent.futures
import json
import pathlib
import shutil
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
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
        f'    <route src="w{k}" dst="gateway"><link_ctn id="w{k}-nic" direction="UP"/></route>\n'
        for k in range(len(steps))
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
    <prop id="workers" value="w[0-{len(steps) - 1}]"/>
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
    """Runs on platforms, each by name the seconds of an inner step of its workers."""

    def __init__(self, options, platforms):
        self.folder, self.binary = options.folder.resolve(), options.bin.resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "run.cfg").write_text(RUN.format(corpus=ROOT / "scenarios/corpus"))
        for name, steps in platforms.items():
            (self.folder / f"{name}.xml").write_text(platform(steps))

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


def interval(values):
    """Mean and half of the paired 95 % interval (Student's t)."""
    t = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}[len(values)]
    return statistics.mean(values), t * statistics.stdev(values) / len(values) ** 0.5


def options_of(doc, seeds="1,2,3", flags=(), fewest_seeds=2):
    """Of a study's command line, with `seeds` as numbers, and with flags of its own: ("quick",) for --quick."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seeds", default=seeds)
    for flag in flags:
        parser.add_argument(f"--{flag}", action="store_true")
    options = parser.parse_args()
    options.seeds = [int(seed) for seed in options.seeds.split(",")]
    if len(options.seeds) < fewest_seeds:
        parser.error("--seeds: an interval needs two seeds at least")
    return options

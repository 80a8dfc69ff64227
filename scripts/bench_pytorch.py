#!/usr/bin/env python3
"""Inner steps beside Python's PyTorch of the same version: ours, eager, compiled, and OpenDiPaCo's loop.

All four train the same path on the same batches with the same AdamW, one thread each, and take turns. Before that, all
must find the same loss and gradient at the same parameters, and the same loss after three steps. Then two of our paths
take turns with one, side by side on two threads. Figures are medians of the rounds, in brackets the least and the most.
Seconds are the processor's, so that what else the machine does counts for nobody; but two paths side by side must be
faster by the clock, which needs two cores that have nothing else to do. By the processor there stands what two paths
cost each other, in caches and memory. Prints what goes into docs/results/inner-step.md. Ends with status 1 where a ratio
is below its bound, which two asterisks mark.

    cmake --preset bench && cmake --build --preset bench --target inner_rounds
    python3 scripts/bench_pytorch.py [--bin build/bench/bin] [--rounds 9]

Python must have PyTorch of the version that DiPaCo was built with, and transformers; torch.compile needs a C++ compiler
and Python's headers. OpenDiPaCo (MasonFlint44/OpenDiPaCo) has paths of transformers' Llama blocks; its loop is
train/loop.py, run_inner_steps.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
try:
    import torch
    from pytorch_loops import LlamaPath, Loop, Path
except ImportError as error:
    pins = [line.split()[0] for line in (ROOT / "scripts/libtorch.txt").read_text().splitlines() if line.startswith("torch==")]
    sys.exit(f"bench_pytorch.py: {error}; in a virtual environment: pip install {pins[0]} transformers")

# Steps are those of a round.
SHAPES = {
    "d128 L4": {"blocks": 4, "hidden": 128, "heads": 4, "mlp": 344, "vocabulary": 2048, "sequence": 128, "batch": 16, "steps": 10},
    "d256 L8": {"blocks": 8, "hidden": 256, "heads": 8, "mlp": 680, "vocabulary": 4096, "sequence": 256, "batch": 8, "steps": 4},
}
BOUNDS = {("fp32", "compiled"): 0.97, ("bf16", "compiled"): 1.0, ("fp32", "OpenDiPaCo's"): 1.0, ("bf16", "OpenDiPaCo's"): 1.0}
SIDE_BY_SIDE = 1.9
# How far losses, gradients (as vectors, which include how they are clipped) and losses after three steps may be apart,
# as shares: sums of float32, and of numbers rounded to bf16, in another order.
ROUNDING = {"fp32": (1e-6, 1e-4, 1e-4), "bf16": (1e-4, 2e-2, 1e-3)}


class Ours:
    """A process of bench/inner_rounds.cpp, so that no two copies of OpenMP or MKL meet."""

    def __init__(self, program, shape, precision, folder):
        self.folder = pathlib.Path(folder)
        keys = {key: shape[key] for key in shape if key != "steps"}
        options = [f"--{key}={value}" for key, value in keys.items()]
        self.process = subprocess.Popen(
            [program, folder, *options, f"--head-size={shape['hidden'] // shape['heads']}", f"--precision={precision}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # fmt: skip
        self.library = self.line().removeprefix("ready ")

    def line(self):
        line = self.process.stdout.readline().strip()
        if not line:
            sys.exit("bench_pytorch.py: inner_rounds has ended; see what it says above")
        return line

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return [float(word) for word in self.line().split()]

    def gradient(self):
        file = self.folder / "gradient.f32"
        (loss,) = self.ask(f"gradient {file}")
        return loss, numbers(file, torch.float32)

    def round(self, steps):
        seconds, _, loss = self.ask(f"steps {steps}")
        return seconds, loss

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def numbers(file, dtype):
    return torch.frombuffer(bytearray(file.read_bytes()), dtype=dtype)


def loops_of(shape, precision, ours):
    parameters = numbers(ours.folder / "parameters.f32", torch.float32)
    batches = numbers(ours.folder / "tokens.i32", torch.int32).long().view(-1, shape["batch"], shape["sequence"])
    return {
        "ours": ours,
        "eager": Loop(Path(shape), parameters, batches, precision),
        "compiled": Loop(Path(shape), parameters, batches, precision, compiled=True),
        "OpenDiPaCo's": Loop(LlamaPath(shape), parameters, batches, precision, plain=True),
    }


def check_equal(loops, precision):
    """Ends the script unless all compute the same, which also compiles and warms up."""
    most_loss, most_gradient, most_later = ROUNDING[precision]
    loss, gradient = loops["ours"].gradient()
    later = loops["ours"].round(3)[1]
    apart = lambda a, b: abs(a - b) / abs(b)
    for name, loop in list(loops.items())[1:]:
        its_loss, its_gradient = loop.gradient()
        its_later = loop.round(3)[1]
        far = (apart(its_loss, loss), float((its_gradient - gradient).norm() / gradient.norm()), apart(its_later, later))
        print(f"  {name}: loss {its_loss:.6f}, ours {loss:.6f}; gradients {far[1]:.1e} apart; after 3 steps {its_later:.6f}, "
              f"ours {later:.6f}", file=sys.stderr)  # fmt: skip
        if far[0] > most_loss or far[1] > most_gradient or far[2] > most_later:
            sys.exit(f"bench_pytorch.py: {name} computes something else than we do, so that there is nothing to compare")


def ratio_cell(ratios, bound):
    middle = statistics.median(ratios)
    missed = bound is not None and middle < bound
    return f"{middle:.2f} ({min(ratios):.2f} to {max(ratios):.2f}){' **' if missed else ''}", missed


def compare(name, shape, precision, program, rounds):
    """Prints a row of the table. Returns whether a bound is missed."""
    with tempfile.TemporaryDirectory() as folder:
        ours = Ours(program, shape, precision, folder)
        check_version(ours.library)
        print(f"{name}, {precision}: {ours.library}", file=sys.stderr)
        loops = loops_of(shape, precision, ours)
        check_equal(loops, precision)
        seconds = {loop: [] for loop in loops}
        for k in range(rounds):
            order = list(loops)
            for loop in order[k % len(order) :] + order[: k % len(order)]:
                seconds[loop].append(loops[loop].round(shape["steps"])[0])
        ours.end()
    cells, failed = [], False
    for loop in list(loops)[1:]:
        ratios = [theirs / mine for theirs, mine in zip(seconds[loop], seconds["ours"])]
        cell, missed = ratio_cell(ratios, BOUNDS.get((precision, loop)))
        cells.append(cell)
        failed |= missed
    times = [f"{1e3 * statistics.median(seconds[loop]):.0f}" for loop in loops]
    print(f"| {name} | {precision} | {' | '.join(times + cells)} |", flush=True)
    return failed


def side_by_side(name, shape, precision, program, rounds):
    with tempfile.TemporaryDirectory() as folder:
        ours = Ours(program, shape, precision, folder)
        ours.ask("pair 1")
        by_clock, by_processor = [], []
        for _ in range(rounds):
            busy_alone, alone, _ = ours.ask(f"steps {shape['steps']}")
            busy, both, _ = ours.ask(f"pair {shape['steps']}")
            by_clock.append(2 * alone / both)
            by_processor.append(4 * busy_alone / busy)
        ours.end()
    cell, missed = ratio_cell(by_clock, SIDE_BY_SIDE)
    print(f"| {name} | {precision} | {cell} | {ratio_cell(by_processor, None)[0]} |", flush=True)
    return missed


def check_version(library):
    version = library.split()[1]
    if torch.__version__.split("+")[0] != version:
        sys.exit(f"bench_pytorch.py: this Python has PyTorch {torch.__version__}, DiPaCo was built with {version}; "
                 f"in a virtual environment: pip install torch=={version} transformers")  # fmt: skip


def precisions():
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    return ["fp32", "bf16"] if "avx512_bf16" in flags or "amx_bf16" in flags else ["fp32"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/bench/bin")
    parser.add_argument("--rounds", type=int, default=9)
    asked = parser.parse_args()
    program = f"{asked.bin}/inner_rounds"
    if not pathlib.Path(program).exists():
        sys.exit(f"bench_pytorch.py: no {program}; build the preset bench, or name its folder by --bin")
    torch.set_num_threads(1)
    cases = [(name, shape, precision, program, asked.rounds) for name, shape in SHAPES.items() for precision in precisions()]
    print("| path | precision | ours, ms a step | eager | compiled | OpenDiPaCo's | eager / ours | compiled / ours | OpenDiPaCo's / ours |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    missed = [compare(*case) for case in cases]
    print("\n| path | precision | two paths side by side / one, by the clock | by the processor |\n|---|---|---|---|", flush=True)
    missed += [side_by_side(*case) for case in cases]
    return 1 if any(missed) else 0


if __name__ == "__main__":
    sys.exit(main())

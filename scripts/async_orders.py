#!/usr/bin/env python3
"""Asynchronous Local-SGD (arXiv 2401.09135) beside DiLoCo: which is better, and by how much, at a size for two cores.

Four workers at one site train one small model on random shards of the shipped corpus (all paths share all modules):
after a dense start, 40 times 20 inner steps a path. Their inner steps take 0.58 s each (none), up to 0.70 s (slight), up
to 1.51 s (moderate), or 0.58, 0.75, 1.51 and 3.33 s (very), which are the authors' own. Methods: outer Nesterov, in
rounds, on arrival and at every fourth arrival (FedBuff), Delayed Nesterov without and with inner steps by speed
(DyLU), and outer SGD.

    python3 scripts/async_orders.py FOLDER [--bin build/release/bin] [--jobs N] [--seeds 1,2,3]

The outer learning rate of each method is the best of the paper's list on another seed, with equal workers. Then each
method is run on each platform and seed, and Delayed Nesterov with DyLU for fewer outer steps on very unequal machines.
FOLDER keeps all runs: the same command goes on where it was stopped, and
prints what is there. Two cores take about an hour.
"""

import statistics

from small_study import Study, all_of, interval, options_of, perplexity

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
    "buffer": ASYNC + ["outer.buffer=4"],
    "dn": ASYNC,
    "dn-dylu": ASYNC + ["inner.dylu=on"],
    "dn-dylu-no-grace": ["outer.policy=asynchronous", "inner.dylu=on"],
    "sgd": ["outer.policy=synchronous", "outer.optimizer=sgd"],
    "async-sgd": ASYNC + ["outer.optimizer=sgd"],
}
# In rounds, unequal machines change the time alone: with each schedule.
EVERYWHERE = ("async-nesterov", "buffer", "dn", "dn-dylu", "dn-dylu-no-grace")
SAME_RATE = {"dn-dylu": "dn", "dn-dylu-no-grace": "dn"}
# Outer steps of Delayed Nesterov with DyLU on very unequal machines: where is it as good as 40 in rounds?
SHORTER = (24, 28, 32, 36)


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


def main():
    options = options_of(__doc__)
    seeds = options.seeds
    study = Study(options, PLATFORMS)
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
    print(f"\nseeds {','.join(map(str, seeds))}; paired differences with synchronous Nesterov, 95 % intervals\n")
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


    print_shorter(study, options, rates["dn-dylu"], base, times)


def print_shorter(study, options, rate, base, times):
    """How soon Delayed Nesterov with DyLU is where rounds end, on very unequal machines."""
    runs = {
        (steps, seed): (
            lambda steps=steps, seed=seed: study.simulate(
                f"very-dn-dylu-{steps}-{seed}",
                "very",
                seed,
                METHODS["dn-dylu"] + [f"outer.learning_rate={rate}", f"outer.steps={steps}"],
            )
        )
        for steps in SHORTER
        for seed in options.seeds
    }
    ended = all_of(runs, options.jobs)
    print("\n| outer steps of dn-dylu, very | perplexity | difference | simulated s | of first_free's | of earliest_finish's |")
    print("|---|---|---|---|---|---|")
    for steps in SHORTER:
        values = [perplexity(ended[steps, seed]) for seed in options.seeds]
        mean, half = interval([value - base[seed] for value, seed in zip(values, options.seeds)])
        seconds = statistics.mean(ended[steps, seed]["simulated_s"] for seed in options.seeds)
        shares = [seconds / times["very", schedule] for schedule in ("first_free", "earliest_finish")]
        print(
            f"| {steps} | {statistics.mean(values):.2f} | {mean:+.2f} ± {half:.2f} | {seconds:.0f} | "
            f"{shares[0]:.2f} | {shares[1]:.2f} |"
        )


if __name__ == "__main__":
    main()

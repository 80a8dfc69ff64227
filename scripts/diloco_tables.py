#!/usr/bin/env python3
"""DiLoCo's own tables (arXiv 2311.08105) at a size for two cores: replicas, inner steps, dropped and pruned outer
gradients, replicas that come and go.

One small model; all paths share all modules; a shard for each path, by k-means as in the paper or at random. After a
dense start each path does 800 inner steps, as 40 times 20 unless it is said otherwise. Everything is simulated on two
machines of one site: who trains what changes no bit.

    python3 scripts/diloco_tables.py FOLDER [--bin build/release/bin] [--jobs N] [--seeds 1,2,3] [--long]

--long has 16 times as many steps, of the dense start, too, and only the rows by which the paper's sizes are judged: a
core takes a quarter of an hour for a run. With one seed there are no intervals.
FOLDER keeps all runs: the same command goes on where it was stopped, and prints what is there.
"""

from small_study import Study, all_of, interval, options_of, perplexity

INNER_STEPS = 800  # of a path, in all
LONGER = 16
LONG_INNER_STEPS = LONGER * INNER_STEPS
MACHINES = {"two": (0.5, 0.5)}
K_MEANS = ["routing.method=k_means"]
FOUR = K_MEANS + ["topology.levels=shared:4"]
EIGHT = K_MEANS + ["topology.levels=shared:8"]  # as many as in the paper
RANDOM = ["topology.levels=shared:8"]  # random shards, as in the paper's figure
TABLES = {  # what it is about: the row that others are compared with, and all rows
    "Replicas (table 3)": ("1", {str(k): K_MEANS + [f"topology.levels=shared:{k}"] for k in (1, 2, 4, 8)}),
    "Inner steps of an outer step (Fig. 4)": (
        "10",
        {str(h): FOUR + [f"inner.steps={h}", f"outer.steps={INNER_STEPS // h}"] for h in (10, 20, 50, 100, 200)},
    ),
    "Probability that an outer gradient of four replicas is dropped (Fig. 8, of 4)": (
        "0",
        {str(p): FOUR + [f"outer.drop={p}"] for p in (0, 0.1, 0.3, 0.5)},
    ),
    "Probability that an outer gradient of eight is dropped (Fig. 8, of 8)": (
        "0",
        {str(p): EIGHT + [f"outer.drop={p}"] for p in (0, 0.1, 0.3, 0.5)},
    ),
    "Share of an outer gradient that is pruned (table 6)": (
        "0",
        {str(p): FOUR + [f"outer.prune={p}"] for p in (0, 0.25, 0.5, 0.75)},
    ),
    "The same, first what is against its neuron's sign (table 6 by sign)": (
        "0.0",
        {str(p): FOUR + [f"outer.prune={p}", "outer.prune_by=" + ("sign" if p else "magnitude")] for p in (0.0, 0.25, 0.5)},
    ),
    "Replicas over the run (Fig. 7)": (
        "8",
        {n: RANDOM + [f"routing.active_paths={n}"] for n in ("1", "8", "4,8", "8,4", "1..8", "8..1")},
    ),
}


def long_run(inner_steps):
    return FOUR + [f"pretrain.steps={LONGER * 300}", f"inner.steps={inner_steps}", f"outer.steps={LONG_INNER_STEPS // inner_steps}"]


LONG_FOUR = long_run(20)
LONG_TABLES = {
    "Inner steps of an outer step (Fig. 4, long)": (
        "10",
        {str(h): long_run(h) for h in (10, 20, 200)},
    ),
    "Outer gradients of four replicas that are dropped (Fig. 8, long)": (
        "0",
        {"0": LONG_FOUR, "0.5": LONG_FOUR + ["outer.drop=0.5"]},
    ),
    "Share of an outer gradient that is pruned (table 6, long)": (
        "0",
        {
            "0": LONG_FOUR,
            "0.5": LONG_FOUR + ["outer.prune=0.5"],
            "0.5 by sign": LONG_FOUR + ["outer.prune=0.5", "outer.prune_by=sign"],
        },
    ),
}


def run_name(table, row, seed):
    return f"{table.split()[0].lower()}-{table.split('(')[1].strip(')').replace(' ', '')}-{row.replace(' ', '-')}-{seed}"


def main():
    options = options_of(__doc__, flags=("long",), fewest_seeds=1)
    study = Study(options, MACHINES)
    tables = LONG_TABLES if options.long else TABLES
    names, runs = {}, {}  # rows of several tables may be one run
    for table, (_, rows) in tables.items():
        for row, settings in rows.items():
            for seed in options.seeds:
                name = names.setdefault((*settings, seed), run_name(table, row, seed))
                runs[name] = lambda name=name, seed=seed, settings=settings: study.simulate(name, "two", seed, settings)
    ended = all_of(runs, options.jobs)
    print(f"seeds {','.join(map(str, options.seeds))}; paired differences, 95 % intervals where there are two or more")
    for table, (base, rows) in tables.items():
        print(f"\n| {table} | perplexity | difference | |\n|---|---|---|---|")
        for row, settings in rows.items():
            values = [perplexity(ended[names[(*settings, seed)]]) for seed in options.seeds]
            bases = [perplexity(ended[names[(*rows[base], seed)]]) for seed in options.seeds]
            differences = [100 * (value / other - 1) for value, other in zip(values, bases)]
            half = f"± {interval(differences)[1]:.2f}" if len(differences) > 1 else ""
            less = "" if row == base else f"{sum(differences) / len(differences):+.2f} % | {half}"
            print(f"| {row} | {sum(values) / len(values):.2f} | {less or ' | '} |")


if __name__ == "__main__":
    main()

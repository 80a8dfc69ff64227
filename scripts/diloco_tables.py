#!/usr/bin/env python3
"""DiLoCo's own tables (arXiv 2311.08105) at a size for two cores: replicas, inner steps, dropped and pruned outer
gradients, replicas that come and go.

One small model; all paths share all modules; a shard for each path, by k-means as in the paper or at random. After a
dense start each path does 800 inner steps, as 40 times 20 unless it is said otherwise. Everything is simulated on two
machines of one site: who trains what changes no bit.

    python3 scripts/diloco_tables.py FOLDER [--bin build/release/bin] [--jobs N] [--seeds 1,2,3]

FOLDER keeps all runs: the same command goes on where it was stopped, and prints what is there.
"""

from small_study import Study, all_of, interval, options_of, perplexity

INNER_STEPS = 800  # of a path, in all
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


def main():
    options = options_of(__doc__)
    study = Study(options, MACHINES)
    runs = {}
    for table, (_, rows) in TABLES.items():
        for row, settings in rows.items():
            for seed in options.seeds:
                name = f"{table.split()[0].lower()}-{table.split('(')[1].strip(')').replace(' ', '')}-{row}-{seed}"
                runs[table, row, seed] = lambda name=name, seed=seed, settings=settings: study.simulate(
                    name, "two", seed, settings
                )
    ended = all_of(runs, options.jobs)
    print(f"seeds {','.join(map(str, options.seeds))}; paired differences, 95 % intervals")
    for table, (base, rows) in TABLES.items():
        print(f"\n| {table} | perplexity | difference | |\n|---|---|---|---|")
        for row in rows:
            values = [perplexity(ended[table, row, seed]) for seed in options.seeds]
            bases = [perplexity(ended[table, base, seed]) for seed in options.seeds]
            mean, half = interval([100 * (value / other - 1) for value, other in zip(values, bases)])
            less = "" if row == base else f"{mean:+.2f} % | ± {half:.2f}"
            print(f"| {row} | {sum(values) / len(values):.2f} | {less or ' | '} |")


if __name__ == "__main__":
    main()

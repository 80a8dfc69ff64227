#include <array>

#include "core/config/allowed.hpp"
#include "core/config/fault_keys.hpp"
#include "core/config/keys.hpp"
#include "core/config/model_keys.hpp"

namespace dipaco {
namespace {

using C = RunConfig;
using Key = RunKey;
constexpr auto kParameters = Changes::parameters;
constexpr auto kNothing = Changes::nothing;

constexpr std::array kPreparation{
    Key{"topology",
        "levels",
        [](C& c) -> Slot { return &c.topology.levels; },
        {},
        kParameters,
        "2x4: experts of each level; flat:8: one level; shared:8: all paths share all modules (DiLoCo); or a table "
        "file"},
    Key{"topology",
        "path_specific",
        [](C& c) -> Slot { return &c.topology.path_specific; },
        {},
        kParameters,
        "parts that each path has its own copy of: blocks:0,5;embedding"},
    Key{"topology", "regions", [](C& c) -> Slot { return &c.topology.regions; }, at_least(1), kParameters,
        "outer.policy=hierarchical: regions that paths are dealt to, in blocks"},
    Key{"data", "train", [](C& c) -> Slot { return &c.data.train; }, files(), kNothing,
        "training files or patterns, comma-separated: .jsonl, .jsonl.gz, .txt"},
    Key{"data", "validation", [](C& c) -> Slot { return &c.data.validation; }, files(), kNothing,
        "validation files or patterns; empty: a share of the train documents is kept for validation"},
    Key{"data", "tokenizer", [](C& c) -> Slot { return &c.data.tokenizer; }, files(), kNothing,
        "a SentencePiece model; empty: one is trained on the text of `train`, before the validation share is taken "
        "out"},
    Key{"data", "validation_fraction", [](C& c) -> Slot { return &c.data.validation_fraction; }, from_0_to_below_1(),
        kParameters, "share of the documents that is kept for validation if `validation` is empty"},
    Key{"data", "holdout_fraction", [](C& c) -> Slot { return &c.data.holdout_fraction; }, from_0_to_below_1(),
        kParameters, "share of each shard's documents that is kept out of training"},
    Key{"data", "validation_documents", [](C& c) -> Slot { return &c.data.validation_documents; }, at_least(0),
        kNothing, "most documents that an evaluation scores; 0: all"},
    Key{"data", "charged_documents", [](C& c) -> Slot { return &c.data.charged_documents; }, from_0_to(2e9), kNothing,
        "documents of the text that evaluation and re-sharding are charged for; 0: the text that is learned, and with "
        "--learn off none: nothing is scored"},
    Key{"data", "charged_tokens", [](C& c) -> Slot { return &c.data.charged_tokens; }, at_least(1), kNothing,
        "tokens of each of the `charged_documents`"},
    Key{"pretrain", "steps", [](C& c) -> Slot { return &c.pretrain.steps; }, at_least(0), kParameters,
        "inner steps of dense pretraining, which makes the start of every path"},
    Key{"pretrain", "from", [](C& c) -> Slot { return &c.pretrain.from; }, files(), kNothing,
        "a start made by `dipaco prepare`, used instead of training one"},
    Key{"pretrain", "micro_batches", [](C& c) -> Slot { return &c.pretrain.micro_batches; }, at_least(1), kParameters,
        "parts of a batch that pretraining computes in parallel"},
    Key{"routing", "method", [](C& c) -> Slot { return &c.routing.method; }, method_names(), kParameters,
        "how documents are first assigned to paths: see below"},
    Key{"routing", "prefix", [](C& c) -> Slot { return &c.routing.prefix; }, at_least(1), kParameters,
        "first tokens of a document; the router reads them, the loss leaves them out"},
    Key{"routing", "overlap", [](C& c) -> Slot { return &c.routing.overlap; }, at_least(1), kParameters,
        "number of nearest shards that each training document goes to"},
    Key{"routing", "router_fraction", [](C& c) -> Slot { return &c.routing.router_fraction; }, from_0_to_below_1(),
        kParameters, "share of the documents that is kept for fitting routers"},
    Key{"routing",
        "reshard_at",
        [](C& c) -> Slot { return &c.routing.reshard_at; },
        {},
        kParameters,
        "outer steps that begin with new shards, made by a discriminative router, such as 4 or 4,8; empty: none"},
    Key{"routing", "label_tokens", [](C& c) -> Slot { return &c.routing.label_tokens; }, at_least(0), kParameters,
        "re-sharding reads only so many first tokens of a router document to find its best path (and predicts the "
        "token after them); 0: all"},
    Key{"routing",
        "calibrate_bias",
        [](C& c) -> Slot { return &c.routing.calibrate_bias; },
        {},
        kParameters,
        "on: no path is left without documents. The discriminative router is adjusted until each path gets its labels' "
        "share; product k-means adds a bias for a path with hardly any documents"},
    Key{"routing", "sample_paths", [](C& c) -> Slot { return &c.routing.sample_paths; }, above_0_to_1(), kParameters,
        "share of the paths that train in an outer step; each outer step draws its own"},
    Key{"routing",
        "active_paths",
        [](C& c) -> Slot { return &c.routing.active_paths; },
        {},
        kParameters,
        "how many paths train, the first ones: 4,8 has twice as many in the second half of the outer steps, 1..8 more "
        "and more; empty: all"},
};

constexpr std::array kInner{
    Key{"inner", "steps", [](C& c) -> Slot { return &c.inner.steps; }, at_least(1), kParameters,
        "inner steps of one outer step (tau)"},
    Key{"inner", "batch", [](C& c) -> Slot { return &c.inner.batch; }, at_least(1), kParameters,
        "rows of `model.sequence` tokens in a batch"},
    Key{"inner", "learning_rate", [](C& c) -> Slot { return &c.inner.learning_rate; }, above(0), kParameters,
        "peak of the learning rate, reached after warmup"},
    Key{"inner", "final_learning_rate", [](C& c) -> Slot { return &c.inner.final_learning_rate; }, at_least(0),
        kParameters, "learning rate at the end of the cosine, which ends with the last outer step"},
    Key{"inner", "warmup", [](C& c) -> Slot { return &c.inner.warmup; }, at_least(0), kParameters,
        "inner steps of linear warmup, from the start of pretraining"},
    Key{"inner", "weight_decay", [](C& c) -> Slot { return &c.inner.weight_decay; }, at_least(0), kParameters,
        "weight decay of AdamW"},
    Key{"inner", "beta1", [](C& c) -> Slot { return &c.inner.beta1; }, from_0_to_below_1(), kParameters,
        "beta1 of AdamW"},
    Key{"inner", "beta2", [](C& c) -> Slot { return &c.inner.beta2; }, from_0_to_below_1(), kParameters,
        "beta2 of AdamW"},
    Key{"inner", "epsilon", [](C& c) -> Slot { return &c.inner.epsilon; }, above(0), kParameters, "epsilon of AdamW"},
    Key{"inner", "clip", [](C& c) -> Slot { return &c.inner.clip; }, at_least(0), kParameters,
        "a gradient with a larger norm is scaled down to this norm; 0: no clipping"},
    Key{"inner", "precision", [](C& c) -> Slot { return &c.inner.precision; }, one_of("fp32|bf16"), kParameters,
        "number format of matrix products and, but in short rows on a CPU, of attention"},
    Key{"inner", "micro_batch", [](C& c) -> Slot { return &c.inner.micro_batch; }, auto_or_at_least(0), kParameters,
        "most rows that go through a path at a time, for memory; gradients are added up. auto or 0: the whole batch, "
        "or where that does not fit `memory` the largest power of two that does"},
    Key{"inner", "ranks", [](C& c) -> Slot { return &c.inner.ranks; }, at_least(1), kParameters,
        "parts of a batch whose gradients are added in order; a worker's devices (`--device cuda:0,cuda:1`), or with "
        "gloo its `--threads`, share them. Who has fewer computes one after the other, to the same bits"},
    Key{"inner", "memory", [](C& c) -> Slot { return &c.inner.memory; }, Allowed{}, kParameters,
        "of the smallest GPU that trains, less what a driver takes, such as `72GiB`: a path that does not fit is "
        "refused; empty: nothing is known of it"},
    Key{"inner", "dylu", [](C& c) -> Slot { return &c.inner.dylu; }, Allowed{}, kParameters,
        "on: inner.steps are the fastest worker's, others do fewer; a path does outer.steps x inner.steps in all"},
    Key{"inner", "recompute", [](C& c) -> Slot { return &c.inner.recompute; }, Allowed{}, kNothing,
        "on: a step keeps only what goes into each block and computes the rest again on its way back: less memory, a "
        "third more time"},
};

constexpr std::array kRun{
    Key{"outer", "steps", [](C& c) -> Slot { return &c.outer.steps; }, at_least(1), kParameters, "outer steps (T)"},
    Key{"outer", "learning_rate", [](C& c) -> Slot { return &c.outer.learning_rate; }, above(0), kParameters,
        "learning rate of the outer step; outer.policy=gradients takes inner.learning_rate"},
    Key{"outer", "momentum", [](C& c) -> Slot { return &c.outer.momentum; }, from_0_to_below_1(), kParameters,
        "momentum of outer.optimizer=nesterov and delayed_nesterov"},
    Key{"outer", "policy", [](C& c) -> Slot { return &c.outer.policy; }, policy_names(), kParameters,
        "when a module steps, and what its paths give it: \"What keys can name\" below"},
    Key{"outer", "optimizer", [](C& c) -> Slot { return &c.outer.optimizer; }, optimizer_names(), kParameters,
        "how a module steps: see below; auto: the policy's own"},
    Key{"outer", "quorum", [](C& c) -> Slot { return &c.outer.quorum; }, at_least(0), kParameters,
        "outer.policy=quorum: contributions that a module waits for; 0: half of its paths, rounded up"},
    Key{"outer", "grace", [](C& c) -> Slot { return &c.outer.grace; }, at_least(0), kParameters,
        "outer.policy=quorum: after its quorum a module waits so long for more; asynchronous, hierarchical: "
        "a path that could begin waits so long for others"},
    Key{"outer", "grace_share", [](C& c) -> Slot { return &c.outer.grace_share; }, at_least(0), kParameters,
        "outer.policy=quorum: the grace is longer by so large a part of the time that the quorum took"},
    Key{"outer", "staleness_weight", [](C& c) -> Slot { return &c.outer.staleness_weight; }, one_of("none|polynomial"),
        kParameters,
        "polynomial: with outer.policy=asynchronous, hierarchical or quorum a contribution weighs (1 + "
        "staleness)^-1/2"},
    Key{"outer", "max_staleness", [](C& c) -> Slot { return &c.outer.max_staleness; }, at_least(0), kParameters,
        "outer.policy=asynchronous, hierarchical or quorum drops a contribution that is more steps of its module late; "
        "0: none. The end of a run names each path that lost most of its contributions so"},
    Key{"outer", "delay_compensation", [](C& c) -> Slot { return &c.outer.delay_compensation; }, at_least(0),
        kParameters,
        "outer.policy=asynchronous, hierarchical: lambda of g + lambda g g (newest - base), for each contribution g; "
        "0: none"},
    Key{"outer", "buffer", [](C& c) -> Slot { return &c.outer.buffer; }, at_least(1), kParameters,
        "outer.policy=asynchronous, hierarchical: contributions that a module gathers for a step, by their mean "
        "(FedBuff)"},
    Key{"outer", "delay", [](C& c) -> Slot { return &c.outer.delay; }, at_least(0), kParameters,
        "N of outer.optimizer=delayed_nesterov: steps between updates of the momentum; 0: the module's paths"},
    Key{"outer", "c", [](C& c) -> Slot { return &c.outer.c; }, at_least(0), kParameters,
        "c of outer.optimizer=delayed_nesterov, at most 1/N: share of the momentum in each step"},
    Key{"outer", "merge_every", [](C& c) -> Slot { return &c.outer.merge_every; }, at_least(1), kParameters,
        "outer.policy=hierarchical: versions of a regional part from a merge to its next difference"},
    Key{"outer", "merge_weight", [](C& c) -> Slot { return &c.outer.merge_weight; }, above_0_to_1(), kParameters,
        "outer.policy=hierarchical: share of the global parameters in a merge; a regional part's own have the rest"},
    Key{"outer", "global_optimizer", [](C& c) -> Slot { return &c.outer.global_optimizer; }, optimizer_names(),
        kParameters, "outer.policy=hierarchical: how a global part steps: see below; auto: delayed_nesterov"},
    Key{"outer", "global_learning_rate", [](C& c) -> Slot { return &c.outer.global_learning_rate; }, above(0),
        kParameters, "outer.policy=hierarchical: learning rate of global parts"},
    Key{"outer", "global_momentum", [](C& c) -> Slot { return &c.outer.global_momentum; }, from_0_to_below_1(),
        kParameters, "outer.policy=hierarchical: momentum of global parts"},
    Key{"outer", "global_delay", [](C& c) -> Slot { return &c.outer.global_delay; }, at_least(0), kParameters,
        "N of outer.global_optimizer=delayed_nesterov; 0: the module's regional parts"},
    Key{"outer", "beta1", [](C& c) -> Slot { return &c.outer.beta1; }, from_0_to_below_1(), kParameters,
        "beta1 of outer.optimizer=adamw"},
    Key{"outer", "beta2", [](C& c) -> Slot { return &c.outer.beta2; }, from_0_to_below_1(), kParameters,
        "beta2 of outer.optimizer=adamw"},
    Key{"outer", "epsilon", [](C& c) -> Slot { return &c.outer.epsilon; }, above(0), kParameters,
        "epsilon of outer.optimizer=adamw"},
    Key{"outer", "weight_decay", [](C& c) -> Slot { return &c.outer.weight_decay; }, at_least(0), kParameters,
        "weight decay of outer.optimizer=adamw"},
    Key{"outer", "rescale", [](C& c) -> Slot { return &c.outer.rescale; }, one_of("none|sqrt"), kParameters,
        "sqrt: multiply outer gradients by the square root of the number of the module's paths"},
    Key{"outer", "weighting", [](C& c) -> Slot { return &c.outer.weighting; }, one_of("shard_size|equal|tokens"),
        kParameters,
        "weights of the paths in a module's mean; tokens: a contribution weighs as much as its task had inner steps"},
    Key{"outer", "averaging", [](C& c) -> Slot { return &c.outer.averaging; }, one_of("mean|radial_directional"),
        kParameters,
        "radial_directional: lengths and directions of outer gradients are averaged apart, for each tensor"},
    Key{"outer", "drop", [](C& c) -> Slot { return &c.outer.drop; }, from_0_to_below_1(), kParameters,
        "probability that a path, after an outer step, gives nothing and trains on from its own parameters"},
    Key{"outer", "prune", [](C& c) -> Slot { return &c.outer.prune; }, from_0_to_below_1(), kParameters,
        "share of each neuron's values of an outer gradient that is set to 0; what travels is as large as ever"},
    Key{"outer", "prune_by", [](C& c) -> Slot { return &c.outer.prune_by; }, one_of("magnitude|sign"), kParameters,
        "which values outer.prune takes: the smallest, or first those against the sign of their neuron's sum"},
    Key{"outer", "outer_gradient_format", [](C& c) -> Slot { return &c.outer.outer_gradient_format; }, format_names(),
        kParameters, "number format of outer gradients on the wire: see below"},
    Key{"evaluate", "sequence", [](C& c) -> Slot { return &c.evaluate.sequence; }, auto_or_at_least(2), kNothing,
        "positions of an evaluation row; auto: as many as in training"},
    Key{"evaluate", "every", [](C& c) -> Slot { return &c.evaluate.every; }, at_least(0), kNothing,
        "outer steps between evaluations; 0: only at the end"},
    Key{"evaluate", "target_perplexity", [](C& c) -> Slot { return &c.evaluate.target_perplexity; }, at_least(0),
        kNothing, "the summary says when an evaluation first was at or below it, and what that had cost; 0: none"},
    Key{"evaluate",
        "early_stopping",
        [](C& c) -> Slot { return &c.evaluate.early_stopping; },
        {},
        kParameters,
        "on: the result has, for each path, the version with the lowest loss on its hold-out instead of the last"},
    Key{"evaluate",
        "dense_equal_steps",
        [](C& c) -> Slot { return &c.evaluate.dense_equal_steps; },
        {},
        kNothing,
        "also train the dense start further, for as many inner steps as a path"},
    Key{"run", "seed", [](C& c) -> Slot { return &c.run.seed; }, at_least(0), kParameters, "seed of every random draw"},
    Key{"run", "replicas", [](C& c) -> Slot { return &c.run.replicas; }, at_least(1), kNothing,
        "machines that keep each path state and each module; above 1, losing one machine for good loses nothing"},
    Key{"run", "schedule", [](C& c) -> Slot { return &c.run.schedule; }, schedule_names(), kNothing,
        "which free worker takes a task, and which rather waits so that the outer step ends sooner"},
    Key{"run", "place", [](C& c) -> Slot { return &c.run.place; }, one_of("auto|spread|stay"), kNothing,
        "auto: paths that share modules begin at one site, where those have their owners, if its lines are fast "
        "enough; stay: so, too, and a path stays with its worker, or else at its site, while it can"},
    Key{"run",
        "known_lines",
        [](C& c) -> Slot { return &c.run.known_lines; },
        {},
        kNothing,
        "on: what lines between sites carry is known at the start: by a platform, or by dipaco-run --lines"},
    Key{"run",
        "backup_tasks",
        [](C& c) -> Slot { return &c.run.backup_tasks; },
        {},
        kNothing,
        "on: a task that takes longer than usual, and waits for no transfer, is also given to a free worker"},
    Key{"run",
        "line_turns",
        [](C& c) -> Slot { return &c.run.line_turns; },
        {},
        kNothing,
        "on: on a full line between two sites, large messages go in turn, what the nearest outer step needs first"},
    Key{"run",
        "site_cache",
        [](C& c) -> Slot { return &c.run.site_cache; },
        {},
        kNothing,
        "on: each version of a module goes to a site once: its workers get it from their store"},
    Key{"run",
        "site_sums",
        [](C& c) -> Slot { return &c.run.site_sums; },
        {},
        kNothing,
        "on: where a site has a cache, its store adds outer gradients that wait for the same line"},
    Key{"run", "straggler_factor", [](C& c) -> Slot { return &c.run.straggler_factor; }, above(1), kNothing,
        "a worker is named as slow whose inner steps take so many times as long as before or as they should"},
    Key{"liveness", "period", [](C& c) -> Slot { return &c.liveness.period; }, above(0), kNothing,
        "time between a node's signs of life"},
    Key{"liveness", "limit", [](C& c) -> Slot { return &c.liveness.limit; }, above(0), kNothing,
        "a node that is silent for so long counts as lost"},
    Key{"liveness", "deadline", [](C& c) -> Slot { return &c.liveness.deadline; }, above(0), kNothing,
        "the run ends with status 4 after so long without progress; a transfer that moves is progress"},
};

template <std::size_t... N>
constexpr auto join(const std::array<Key, N>&... parts) {
  std::array<Key, (N + ...)> all{};
  std::size_t next = 0;
  const auto append = [&](const auto& part) {
    for (const Key& key : part) all[next++] = key;
  };
  (append(parts), ...);
  return all;
}

constexpr auto kKeys = join(kModelKeys, kPreparation, kInner, kRun, kFaultKeys);

}  // namespace

std::span<const Key> run_keys() { return kKeys; }

}  // namespace dipaco

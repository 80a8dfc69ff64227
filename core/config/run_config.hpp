#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/base/units.hpp"
#include "core/config/key.hpp"
#include "core/config/named_parts.hpp"
#include "core/data/options.hpp"
#include "core/faults/kinds.hpp"
#include "core/model/options.hpp"
#include "core/outer/options.hpp"
#include "core/routing/options.hpp"
#include "core/trainer/options.hpp"

namespace dipaco {

/// Dense pretraining, the start of every path (§4). Keys of [pretrain].
struct PretrainOptions {
  std::int64_t steps = 24000;      ///< inner steps; the paper's 24k (§4)
  std::string from;                ///< a start made by `dipaco prepare`, instead of training one; empty: train it
  std::int64_t micro_batches = 2;  ///< parts of a batch that are worked on side by side, added in order; changes bits
};

/// Keys of [evaluate].
struct EvaluateOptions {
  std::int64_t sequence = 0;      ///< positions of an evaluation row; 0: as in training. May be longer
  std::int64_t every = 0;         ///< outer steps between evaluations; 0: at the end only
  double target_perplexity = 0;   ///< the summary says when, and for how many dollars, the run got there; 0: none
  bool early_stopping = false;    ///< the result is each path's version with the lowest loss on its hold-out (§2.7)
  bool dense_equal_steps = true;  ///< also train the dense start on, for as many inner steps as a path does
};

/// Keys of [run].
struct RunOptions {
  std::uint64_t seed = 1;
  std::int64_t replicas = 1;                 ///< machines that have each path state, and each module
  std::string schedule = "earliest_finish";  ///< who takes which path's task: one of config.parts
  std::string place = "auto";                ///< at which sites modules have their owners
  bool known_lines = true;                   ///< the schedule knows beforehand what lines between sites carry
  bool backup_tasks = false;                 ///< a task that is late is also given to a free worker
  bool line_turns = true;                    ///< large messages between sites go in turn where a line is full
  bool site_cache = true;                    ///< each version of a module goes to a site once
  bool site_sums = true;                     ///< a site's outer gradients are added before they leave it
  double straggler_factor = 1.5;  ///< a worker whose inner steps take so many times as long as before, or as they
                                  ///< should, is named as slow
};

/// Keys of [liveness]. REQUIRES period < limit < deadline: read_run_file checks it.
struct LivenessOptions {
  Seconds period{3};              ///< between signs of life
  Seconds limit{10};              ///< a node silent for so long is lost
  Seconds deadline{7 * 86400.0};  ///< the run ends with status 4 after so long without progress; bytes of a transfer
                                  ///< are progress
};

/// What time and bytes are charged for, where it differs from what is learned. Keys of [charge]: those of [model] and
/// [inner] that change operations or bytes.
struct ChargeOptions {
  ModelOptions model;
  InnerOptions inner;
};

/// A run file, resolved: what to learn. One file serves every backend. read_run_file() fills it and checks that its
/// values fit one another; a program that fills one itself answers for that.
struct RunConfig {
  std::string name;              ///< of the run file, without folder and ending
  std::filesystem::path folder;  ///< of the run file: relative file names in it start here
  ModelOptions model;
  TopologyOptions topology;
  DataOptions data;
  PretrainOptions pretrain;
  RoutingOptions routing;
  InnerOptions inner;
  OuterOptions outer;
  EvaluateOptions evaluate;
  RunOptions run;
  LivenessOptions liveness;
  FaultOptions faults;
  std::optional<ChargeOptions> charge;                         ///< absent: charged as learned
  OwnValues own;                                               ///< of keys that the program brings
  std::shared_ptr<const NamedParts> parts = built_in_parts();  ///< what names in it stand for; never null
};

/// The version behind all outer steps: that of what a finished run leaves. Where tasks differ in length (inner.dylu),
/// as if each had one inner step: no path gets beyond it.
inline std::int64_t last_version(const RunConfig& config) {
  return config.outer.steps * (config.inner.dylu ? config.inner.steps : 1);
}

/// Positions (tokens) of an evaluation row, where no program's option says otherwise.
inline std::int64_t evaluation_sequence(const RunConfig& config) {
  return config.evaluate.sequence > 0 ? config.evaluate.sequence : config.model.sequence;
}

}  // namespace dipaco

#pragma once

#include <cstdint>
#include <functional>

#include "core/base/units.hpp"
#include "core/config/run_config.hpp"
#include "programs/dipaco/init/text_survey.hpp"
#include "programs/dipaco/init/trial.hpp"

namespace dipaco {

/// Where a run is to be trained, and how long that may take.
struct TrainingMachine {
  std::int64_t cores = 1;
  Bytes memory;     ///< of the whole machine
  Seconds allowed;  ///< that training should take at most
};

/// A run file's values, and what they were chosen by.
struct ChosenRun {
  RunConfig config;
  std::int64_t parameters = 0;       ///< of a path
  std::int64_t most_parameters = 0;  ///< that the text is enough for
  double passes = 0;                 ///< of each path through its shard
  double dense_passes = 0;           ///< of pretraining through the whole text
  Seconds training;                  ///< predicted: pretraining, all paths, and dense training for as many steps
  Bytes memory;                      ///< predicted: of all paths that are trained at a time
  bool least_row = false;            ///< a row is as short as it may be, and longer than the text asks for
};

/// How steps of a configuration are measured on this machine.
struct StepMeasures {
  std::function<Trial(const RunConfig&)> alone;
  std::function<FlopsPerSecond(const RunConfig&, std::int64_t cores)> side_by_side;  ///< of a core
};

/// Chooses sizes for a text and a machine, by the rules that the run file's comments name (docs/run-file.md, "One for
/// your own text"). Deterministic but for what is measured.
/// @throws DataError where the text has too few documents for four paths
ChosenRun choose_run(const TextFacts& text, const TrainingMachine& machine, const StepMeasures& measures);

/// The least documents that choose_run takes.
constexpr std::int64_t kLeastDocuments = 64;

}  // namespace dipaco

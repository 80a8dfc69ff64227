#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/units.hpp"
#include "programs/dipaco_sim/data_parallel_job.hpp"

namespace dipaco {

/// One way of training, and what a step takes in it.
struct TrainingWay {
  std::string name;
  DataParallelQuestion question;
  DataParallelRun run;
  std::optional<DataParallelOutcome> outcome{};  ///< nullopt: no step ends
};

/// The job with each of its seeds, the first first.
struct DataParallelJobs {
  std::vector<DataParallelOutcome> outcomes;
  std::optional<Seconds> interval{};  ///< between checkpoints; nullopt: there are none
};

/// To standard output. Of several seeds the medians, and the interval of each figure that differs.
void print_for_person(const std::vector<TrainingWay>& ways, const DataParallelJobs& jobs);
/// The same as JSON.
void print_json(const std::vector<TrainingWay>& ways, const DataParallelJobs& jobs);

}  // namespace dipaco

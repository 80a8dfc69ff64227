#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/study/axis.hpp"
#include "programs/dipaco_sim/shared/loaded_scenario.hpp"
#include "programs/dipaco_sim/studies/sweep_folder.hpp"
#include "programs/shared/command_line.hpp"
#include "programs/shared/shared_options.hpp"
#include "programs/shared/stop_signal.hpp"

namespace dipaco {

inline constexpr std::int64_t kMostRuns = 1'000'000;

/// Of N parts the one that this process does, from 0.
struct SweepPart {
  std::size_t number = 0;
  std::size_t of = 1;
};

/// What a command asks that simulates a scenario for several values of some keys.
struct SweepQuestion {
  SharedOptions shared;
  ScenarioWords words;
  std::vector<analysis::Axis> axes;
  std::int64_t repeat = 1;  ///< seeds a point
  SweepPart part{};
};

/// The options of such a command, before `own`; and what they say. @throws ConfigError
std::vector<ProgramOption> sweep_options(std::vector<ProgramOption> own);
SweepQuestion read_question(const Arguments& arguments);

/// The question with the settings of one run.
SweepQuestion at(const SweepQuestion& question, const SweepJob& job);

/// Every point of the question's axes with each seed, the seeds changing first.
std::vector<SweepJob> jobs_of(const SweepQuestion& question, std::uint64_t first_seed);

/// Whether the figure is of what a run has learned.
bool is_learned(const std::string& figure);
/// @throws ConfigError where nothing is learned, so that no run will have the figure that `option` names
void check_learns(const std::string& option, const std::string& figure, const SweepQuestion& question);

/// Whether a run has this figure only once it was as good as evaluate.target_perplexity asks.
bool is_of_target(const std::string& figure);

/// @throws ConfigError where runs have ended, and none has the figure that `option` names; with the nearest
void check_figure(const std::string& option, const std::string& figure, const std::vector<analysis::SweptRun>& runs);

/// Does the jobs that are not done, several at once, and keeps each as it ends. @throws Interrupted
void do_jobs(const SweepQuestion& question, const std::vector<SweepJob>& jobs, const SweepFolder& folder,
             const StopSignal& stop);

}  // namespace dipaco

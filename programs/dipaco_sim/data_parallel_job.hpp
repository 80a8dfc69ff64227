#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/sim/data_parallel/training.hpp"
#include "core/base/prices.hpp"
#include "programs/dipaco_sim/shared/loaded_scenario.hpp"

namespace dipaco {

/// A data-parallel job on a scenario's workers, as it is asked for.
struct DataParallelQuestion {
  SharedOptions shared;
  ScenarioWords words;
  AllReduce all_reduce = AllReduce::hierarchical;
  bool overlap = true;
  RankShare share = RankShare::by_speed;
  std::optional<std::int64_t> local_steps{};  ///< inner steps of the fastest rank between sums; nullopt: a step is one
  OnLoss on_loss = OnLoss::shrink;
  std::int64_t bytes_a_value = 2;     ///< of a gradient
  std::optional<Seconds> interval{};  ///< between checkpoints
};

/// What is asked of one simulation of it, beside that.
struct DataParallelRun {
  std::vector<std::string> without{};   ///< sites, in addition
  std::optional<std::int64_t> steps{};  ///< in place of the run file's
  bool keeps_each_step = false;
  std::uint64_t later_seed = 0;  ///< than the run file's, or --seed
};

/// What a simulation of it came to.
struct DataParallelOutcome {
  double workers = 0;
  double sites = 0;
  double parameters = 0;
  double steps = 0;           ///< sums
  double local_steps = 0;     ///< of the fastest rank, between sums; 0: gradients are summed
  double gradient_bytes = 0;  ///< that a step sums
  double compute_s = 0;       ///< of the first step, as the next two
  double all_reduce_s = 0;
  double step_s = 0;
  double simulated_s = 0;
  double wan_bytes = 0;
  double goodput = 0;     ///< share of the machines' seconds in which steps were computed that counted
  double steps_lost = 0;  ///< under way as a machine went, or done again
  double losses = 0;      ///< of machines at work
  double restarts = 0;    ///< at the last checkpoint
  double checkpoints = 0;
  double checkpointing_s = 0;
  double recovering_s = 0;
  double waiting_s = 0;
  std::optional<double> usd{};  ///< where the scenario has prices
};

/// The names of the sites that have workers, as the scenario has them.
std::vector<std::string> sites_with_workers(const DataParallelQuestion& question);
/// What the scenario says of its workers and a job is not charged, as "intake and no jitter"; empty: it is charged all.
std::string uncharged(const DataParallelQuestion& question);
/// Simulates it. REQUIRES that no SimGrid engine was made in this process. @throws what load_scenario, run_file_of and
/// train_data_parallel throw
DataParallelOutcome simulate_data_parallel(const DataParallelQuestion& question, const DataParallelRun& run);

/// For another process, and from there.
std::string text_of(const DataParallelOutcome& outcome);
DataParallelOutcome read_data_parallel(const std::string& text);

}  // namespace dipaco

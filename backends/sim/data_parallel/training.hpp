#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/sim/data_parallel/collectives.hpp"
#include "backends/sim/data_parallel/overlap.hpp"
#include "backends/sim/machines/host_times.hpp"
#include "backends/sim/scenario/placement.hpp"
#include "backends/sim/timeline/link_rates.hpp"
#include "core/base/units.hpp"
#include "core/events/traffic.hpp"
#include "core/report/accounts/intervals.hpp"

namespace dipaco {

/// What becomes of a job whose machines come and go.
enum class OnLoss : std::uint8_t {
  restart,  ///< it needs all its machines: it waits for them, and begins again at its last checkpoint
  shrink,   ///< it goes on with those that are left, and with each that comes; the step under way is lost
};

/// Data-parallel training of one model on all of a scenario's workers: a baseline. A step is what lies between two
/// sums: of gradients, or of what ranks have come to in several inner steps of their own, as in DiLoCo (2311.08105).
struct DataParallelOptions {
  AllReduce all_reduce = AllReduce::hierarchical;
  RankShare share = RankShare::by_speed;
  bool overlap = true;  ///< sums lie beside the backward pass
  OnLoss on_loss = OnLoss::shrink;
  Bytes gradients{};                  ///< that a step sums
  Bytes state{};                      ///< of the job: parameters and optimizer
  Flops step{};                       ///< of all ranks together
  std::int64_t steps = 0;             ///< of the job
  std::optional<Seconds> interval{};  ///< of work between checkpoints; nullopt: none is written
  bool keeps_each_step = false;       ///< as if a checkpoint of each cost nothing: to see how many losses there are
  Seconds deadline{};                 ///< without a new step: the job is given up
  Seconds stride{};                   ///< as Alarms has it
  std::uint64_t seed = 1;             ///< of machines' failures
  LinkRates link_rates{};             ///< of links whose bandwidth varies
};

struct DataParallelReport {
  Seconds duration{};
  DataParallelStep first_step{};  ///< with the machines that were there at the start
  std::int64_t steps_lost = 0;    ///< that were under way as a machine went
  std::int64_t steps_redone = 0;  ///< that were done and not in the last checkpoint
  std::int64_t losses = 0;        ///< of machines at work
  std::int64_t restarts = 0;      ///< at the last checkpoint
  std::int64_t checkpoints = 0;
  Seconds checkpointing{};  ///< spent writing them
  Seconds recovering{};     ///< spent on the state's way to machines that lack it
  Seconds waiting{};        ///< for machines, lines or stores
  Traffic traffic;          ///< by_sites alone
  HostTimes host_times;
  std::map<std::string, std::vector<Interval>> busy;  ///< by host
};

/// Trains on SimGrid's engine, which has loaded the platform; once a process. Each message's time is that of the
/// platform, with all that are under way. What a step takes is found when machines come and go, when a link's bandwidth
/// changes (link_rates), and after each checkpoint. A machine that comes takes part once its start-up is over.
/// REQUIRES that workers have speeds (set_speeds).
/// @throws RunError of status 4 where no new step ends within the deadline; ConfigError where the coordinator's host,
///         which sees to the job, is one that may go off
DataParallelReport train_data_parallel(const Placement& placement, const DataParallelOptions& options);

}  // namespace dipaco

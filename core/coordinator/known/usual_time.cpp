#include "core/coordinator/known/usual_time.hpp"

#include <algorithm>

namespace dipaco {
namespace {

/// Of its usual time a task is late after at least so much more: few measurements say little of how far they scatter.
/// To be called late costs two small messages; to be done twice, what a free machine and an idle line have to give.
constexpr double kSlack = 0.25;

}  // namespace

std::int32_t usual_length(RunState& run, NodeId worker) {
  const Fleet& fleet = run.queue.dispatch().reserve().fleet();
  const Fleet::Worker* const known = fleet.workers().find(worker);
  return run.lengths.usual(known == nullptr ? 0 : known->speed, fleet.speeds());
}

std::optional<Durations::Estimate> usual_time(RunState& run, NodeId worker, std::int32_t length) {
  const auto its_own = run.task_times.of(worker);
  auto usual = its_own ? its_own : run.task_times.of_all();
  if (!usual) return std::nullopt;
  const double times = static_cast<double>(length) / usual_length(run, worker);
  return Durations::Estimate{times * usual->median, times * usual->deviation};
}

Seconds late_after(const Durations::Estimate& usual) { return std::max(usual.at_worst(), (1 + kSlack) * usual.median); }

}  // namespace dipaco

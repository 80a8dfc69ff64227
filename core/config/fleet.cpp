#include "core/config/fleet.hpp"

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {

void check_workers(const RunConfig& config, std::int64_t workers) {
  if (!config.run.backup_tasks || workers > 1) return;
  throw ConfigError(config.name +
                    ": run.backup_tasks=on gives a late task to a second worker, and there is only one; add a worker, "
                    "or leave the key out");
}

void check_deadline(const RunConfig& config, Seconds step, const std::string& where) {
  const Seconds task = static_cast<double>(config.inner.steps) * step;
  const Seconds deadline = config.liveness.deadline;
  if (task < deadline) return;
  throw ConfigError("liveness.deadline=" + format_number(deadline.count()) + "s is not above the " +
                    format_number(task.count()) + " s that the " + std::to_string(config.inner.steps) +
                    " inner steps of a task take " + where +
                    ": the run would end for want of progress before a task is committed; write a longer one, or fewer "
                    "inner.steps");
}

}  // namespace dipaco

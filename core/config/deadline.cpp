#include "core/config/deadline.hpp"

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {

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

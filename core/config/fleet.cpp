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

void check_round_trip(const LivenessOptions& liveness, const RoundTrip& longest, const std::string& where,
                      const std::string& said) {
  const auto require = [&](const char* key, Seconds limit, const char* why) {
    if (limit > longest.time) return;
    throw ConfigError(where + ": " + key + "=" + format_number(limit.count()) + "s is not above the " +
                      format_number(longest.time.count()) + " s that a message from " + longest.from + " to " +
                      longest.to + " and its answer take " + said + ": " + why +
                      "; write a longer one, or give the links between them less latency");
  };
  require("liveness.deadline", liveness.deadline, "the run would end before anything can be committed");
  require("liveness.limit", liveness.limit, "a node would count as lost before it can answer");
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

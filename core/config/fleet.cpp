#include "core/config/fleet.hpp"

#include "core/base/error.hpp"

namespace dipaco {

void check_workers(const RunConfig& config, std::int64_t workers) {
  if (!config.run.backup_tasks || workers > 1) return;
  throw ConfigError(config.name +
                    ": run.backup_tasks=on gives a late task to a second worker, and there is only one; add a worker, "
                    "or leave the key out");
}

}  // namespace dipaco

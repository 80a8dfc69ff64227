#include "backends/gloo/meeting/launch.hpp"
#include "core/base/error.hpp"

namespace dipaco {
namespace {

std::string count(std::int32_t number, const std::string& what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

/// Each of so many has a process of its own.
void check_fits(std::int32_t number, const std::string& what, std::int32_t least, std::optional<std::int32_t> most) {
  if (number < least) {
    throw ConfigError("--role auto: " + count(number, what) + " are too few; ask for " + std::to_string(least) +
                      " or more");
  }
  if (most && number > *most) {
    throw ConfigError("--role auto: " + count(number, what) + (number == 1 ? " does" : " do") +
                      " not fit, as there is room for " + std::to_string(*most) +
                      "; start more processes, or ask for fewer");
  }
}

void check_counts(std::optional<std::int32_t> processes, const RoleCounts& counts) {
  check_fits(counts.executors, "executor", 1, processes);
  check_fits(counts.stores, "store", 1, processes);
  if (!processes && counts.evaluators > 0) {
    throw ConfigError("--role auto: " + count(counts.evaluators, "evaluator") +
                      " are the last processes, and nobody says how many there are; set DIPACO_PROCESSES");
  }
  // The coordinator and one worker at least are no evaluators.
  check_fits(counts.evaluators, "evaluator", 0, processes ? std::optional(std::max(0, *processes - 2)) : std::nullopt);
}

}  // namespace

std::vector<Role> roles_of(std::int32_t rank, std::optional<std::int32_t> processes, const RoleCounts& counts) {
  check(rank >= 0 && (!processes || rank < *processes), "a rank is below the number of processes");
  check_counts(processes, counts);
  std::vector<Role> roles;
  if (rank == 0) roles.push_back(Role::coordinator);
  if (rank < counts.executors) roles.push_back(Role::executor);
  if (rank < counts.stores) roles.push_back(Role::store);
  const bool evaluates = processes && rank >= *processes - counts.evaluators;
  if (rank > 0) roles.push_back(evaluates ? Role::evaluator : Role::worker);
  if (processes == 1) roles.push_back(Role::worker);
  return roles;
}

}  // namespace dipaco

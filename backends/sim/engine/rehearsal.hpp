#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace dipaco {

/// What SimGrid had to say about a scenario that is in order.
struct Rehearsal {
  std::vector<std::string> warnings;
};

/// Calls `load` in a child process, which ends behind it. SimGrid ends its process at some errors in a platform (an
/// unknown routing, a missing profile); there this costs the child, and becomes an error like all others.
/// REQUIRES that no SimGrid engine was made in this process.
/// @throws ConfigError, DataError: what `load` threw, or what SimGrid said, with the scenario's line where it is known
Rehearsal rehearse(const std::filesystem::path& scenario, const std::function<void()>& load);

}  // namespace dipaco

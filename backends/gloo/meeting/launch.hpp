#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/events/event.hpp"

namespace dipaco {

/// The value of a variable of the environment; one that is empty counts as not there.
using Lookup = std::function<std::optional<std::string>(const std::string&)>;

/// What whoever started this process says about it.
struct Launch {
  std::int32_t rank = 0;
  std::optional<std::int32_t> processes{};  ///< in all, where it is known
  std::string by;                           ///< for the log: "torchrun (RANK=3, WORLD_SIZE=8)"
  std::optional<std::string> rendezvous{};  ///< where nobody names another
  std::string site{};                       ///< "": not said
};

/// Asks for torchrun's variables, then for those of a Slurm step, then for those of an indexed Kubernetes job. Where
/// RANK is not there the others of torchrun count only if nobody else says a rank: batch scripts like to set them.
/// Choice: a coordinator under Slurm listens on port 20000 + job id mod 20000; under a torchrun whose agent listens on
/// MASTER_PORT itself (TORCHELASTIC_USE_AGENT_STORE), on the next one.
/// @returns nullopt where nothing says who started this process
/// @throws ConfigError naming the variable, its value and the remedy, where they are half-set or make no sense
std::optional<Launch> launch_of(const Lookup& environment);

/// The first host of a Slurm node list: of "node[01-04,7],gpu3" it is "node01". @throws ConfigError
std::string first_host(std::string_view nodes);

struct RoleCounts {
  std::int32_t executors = 1;
  std::int32_t stores = 1;
  std::int32_t evaluators = 0;
  std::int32_t workers = 0;  ///< to wait for: how many there are, nobody says
};

/// The roles of one process. Rank 0 is the coordinator; rank r serves an executor too where r < executors, and a store
/// where r < stores; all ranks but 0 are workers, or, the last ones, evaluators. A process that is alone is a worker
/// too.
/// @param processes  nullopt: not known, and more than one
/// @throws ConfigError where the counts do not fit
std::vector<Role> roles_of(std::int32_t rank, std::optional<std::int32_t> processes, const RoleCounts& counts);

}  // namespace dipaco

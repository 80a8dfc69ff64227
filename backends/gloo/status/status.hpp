#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/gloo/links/frame.hpp"
#include "backends/gloo/links/streams/stall.hpp"
#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/events/event.hpp"
#include "core/events/traffic.hpp"
#include "core/roles/roles.hpp"

namespace dipaco {

/// One node that takes part, or took part.
struct MemberStatus {
  NodeId id{};
  Role role{};
  SiteId site{};
  std::string site_name;
  std::string machine;
  std::string address;  ///< where it listens; "": not known
  bool up = false;
  bool left = false;               ///< it has ended well, and nothing more comes from it
  std::optional<Seconds> since{};  ///< up, or gone, since then on the run's clock
  Bytes sent;
  std::uint64_t messages = 0;  ///< that it has sent
};

/// Of `member` all that the coordinator tells everybody; not since when, nor what it has sent.
MemberStatus status_of(const Member& member);

/// A stream for large messages that went on over another connection, since the one that it had stood still or broke.
struct StreamStatus {
  NodeId node{};  ///< of this process
  NodeId peer{};
  std::uint64_t times = 0;
  Stall last;
  Seconds at{};  ///< on the run's clock
};

/// Large messages that nodes send from one site to another, or within one, and that have not arrived.
struct QueueStatus {
  std::uint64_t messages = 0;
  Bytes left;        ///< of them, that have not arrived
  Seconds oldest{};  ///< since the first of them was sent
};

/// How far this process's preparation of the data is.
struct StageStatus {
  std::string name{};      ///< "": it has not begun
  std::int64_t done = 0;   ///< in units of the stage
  std::int64_t total = 0;  ///< 0: not known
};

/// How a run is, as one process of it knows: what its status page and its metrics are made from.
struct Status {
  std::string run_name;
  std::vector<Role> roles;  ///< of this process
  RunProgress progress;     ///< with no `tasks`, all but `now` is not known here: only the coordinator's process knows
  std::int64_t outer_steps = 0;  ///< T
  std::vector<MemberStatus> members;
  std::vector<std::string> waiting_for;                       ///< a line each: for what, for whom, for how long
  Traffic traffic;                                            ///< of the whole run as far as it is known here
  std::int64_t step_tokens = 0;                               ///< positions of an inner step; 0: not known here
  std::int64_t inner_steps_useful = 0;                        ///< of tasks that were committed
  std::int64_t inner_steps_lost = 0;                          ///< computed and thrown away
  std::int64_t states_refused = 0;                            ///< by stores: a value is not finite
  std::int64_t messages_refused = 0;                          ///< they name what does not exist in this run
  std::map<std::pair<SiteId, SiteId>, QueueStatus> queues{};  ///< (from, to)
  std::map<std::pair<SiteId, SiteId>, QueueStatus> queues_elsewhere{};  ///< of other processes, while somebody looks
  std::vector<StreamStatus> stalled{};  ///< streams of this process's nodes that stood still or broke
  bool finished = false;
  std::optional<StageStatus> preparing{};  ///< before this process takes part in the run
};

/// Mean of the newest committed task of each path; nullopt before the first one, and where nothing is learned.
std::optional<double> train_loss(const Status& status);
/// At the pace so far; nullopt before the first committed task, and at the end.
std::optional<Seconds> time_left(const Status& status);
/// Positions of the inner steps that count, in all and a second so far; nullopt before the first one.
struct TokenCount {
  std::int64_t all = 0;
  double per_second = 0;
};
std::optional<TokenCount> tokens(const Status& status);
/// A name for each site of `members`, of `traffic.by_sites` and of `queues`.
std::map<SiteId, std::string> site_names(const Status& status);
/// "coordinator, store".
std::string role_names(const std::vector<Role>& roles);
/// `text` with U+FFFD for what is not UTF-8: others name their sites and machines.
std::string as_utf8(std::string_view text);

}  // namespace dipaco

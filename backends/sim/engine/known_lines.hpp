#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "backends/sim/scenario/placement.hpp"
#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/queue/known_lines.hpp"

namespace dipaco {

/// What the platform's lines between sites carry, as a preflight would measure it: of one message that is alone, at
/// most what the window of its stream lets through; and of messages with all other sites at once, which share links
/// evenly. REQUIRES an engine with the platform.
std::shared_ptr<const KnownLines> lines_of_platform(const Placement& placement);

/// The link that limits a message from one site to another most.
struct NarrowLink {
  std::string name;            ///< SimGrid's
  BytesPerSecond bandwidth{};  ///< of the link
  BytesPerSecond alone{};      ///< that a message gets which is alone
};

/// By the sites of sender and receiver. REQUIRES as lines_of_platform()
std::map<std::pair<SiteId, SiteId>, NarrowLink> narrow_links(const Placement& placement);

/// How long a message takes from a host to another where nothing else is on the way, its line's time alone; nullopt:
/// there is no route. REQUIRES an engine with both hosts.
std::optional<Seconds> lone_message_time(const std::string& from, const std::string& to, Bytes size);

}  // namespace dipaco

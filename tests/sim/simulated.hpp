#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backends/sim/scenario/placement.hpp"
#include "backends/sim/simulation.hpp"
#include "core/events/events.hpp"

namespace dipaco::testing {

/// Does `what` in a child process and returns what it returned: a process has one simulation. An exception comes back
/// as "threw: ..." and a child that dies as "died".
std::string in_child(const std::function<std::string()>& what);

/// Does `number` jobs, two at a time, in children; returns what they returned, in order.
std::vector<std::string> in_children(std::size_t number, const std::function<std::string(std::size_t)>& job);

/// A platform's text, and that of the file `profile` beside it (a state_file of SimGrid's), if it names one.
struct PlatformText {
  std::string xml;
  std::string profile{};
};

/// Every link of a platform that the test is not about: 1 MB/s and 10 ms.
inline constexpr const char* kLink = "bandwidth=\"1MBps\" latency=\"10ms\"";

/// A platform of hosts h0, h1, ... of 1 Gflop/s in one zone, each pair linked by `link` (attributes of a <link>), in
/// SimGrid's form. @param host_attributes  of each host, such as a state_file; the last one holds for the rest
std::string full_platform(int hosts, const std::string& link, const std::vector<std::string>& host_attributes = {});

/// The platform with SimGrid's state_file `file` at the link or host `id`; a file may be named once.
std::string with_profile(std::string platform, const std::string& id, const std::string& file);

/// A network in which a message takes latency + size / bandwidth, exactly.
inline const std::vector<std::string> kExact{"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0"};

struct Simulated {
  SimulationReport report;
  std::vector<Event> events;
};

/// Runs one node on each of h0, h1, ... of `platform` (or on the hosts named): node 0 coordinates, the others work, at
/// 1 Gflop/s each. `change` may add machines that come and go. To be called in a child.
Simulated run_nodes(const PlatformText& platform, int nodes, const NodeProgram& program,
                    const SimulationOptions& options = {}, const std::vector<std::string>& hosts = {},
                    const std::function<void(Placement&)>& change = {});

/// A message of `bytes` on the wire, and the number that it carries.
Message sized_message(std::uint64_t bytes, std::int32_t number = 0);
std::int32_t number_of(const Envelope& envelope);

/// What a node hears until time `end`: "12.5 lost 1; " or "3 from 1 number 7; ".
std::string hear(Seams seams, Seconds end);

}  // namespace dipaco::testing

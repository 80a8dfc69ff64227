#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/events/event.hpp"
#include "core/events/traffic.hpp"
#include "core/report/accounts/cost_facts.hpp"

namespace dipaco {

/// A node as the reports name it.
struct NodeFacts {
  NodeId id{};
  Role role{};
  SiteId site{};
  std::string host;
  double speed = 0;  ///< floating-point operations a second in training
  /// Its owner takes it away and gives it back (spot). Seconds without it are then not provisioned; those of a machine
  /// that failed are.
  bool preemptible = false;
  bool left = false;  ///< of its own accord, and for good: it is not provisioned after that
};

/// What crossed a link in each stretch of the run, from 0 on. The last ones may be missing: nothing crossed then.
struct BytesOverTime {
  Seconds stretch{};
  std::vector<double> bytes;
};

/// A network link as the backend knows it.
struct LinkFacts {
  std::string name;
  double bandwidth = 0;       ///< bytes a second
  double latency_s = 0;       ///< seconds, one way
  Bytes bytes;                ///< that crossed it
  Bytes turn_bytes;           ///< of these: words about turns on lines that are full, which are no messages of a role
  double peak_use = 0;        ///< largest share of the bandwidth in use at once, 0 to 1; the mean follows from bytes
  BytesOverTime over_time{};  ///< of large messages that came whole, each spread evenly over its flow
};

/// A value of summary.json.
using Fact = std::variant<std::int64_t, double, bool, std::string>;

/// What a run knows about itself at its end, beside its events.
struct RunFacts {
  std::string name;              ///< of the run file
  bool simulated = false;        ///< its clock is SimGrid's: simulated_s, not elapsed_s
  bool finished = false;         ///< all tasks are committed, whether or not the events say so of each
  Seconds duration{};            ///< from the first outer step to the last module's last version; or to its end before
  std::int64_t outer_steps = 0;  ///< T
  std::int64_t inner_steps = 0;  ///< of one outer step
  double step_tokens = 0;        ///< positions that are charged for one of them; 0: nobody says, as the next
  double step_flops = 0;         ///< of the model, forward and backward
  double target_perplexity = 0;  ///< evaluate.target_perplexity; 0: none
  std::int32_t paths = 0;
  std::vector<std::int32_t> trained_paths{};                 ///< by outer step; all, where it is not said
  std::map<ModuleId, std::vector<PathId>> shared_modules{};  ///< and the paths through each
  std::vector<std::string> sites;                            ///< by SiteId
  std::vector<NodeFacts> nodes;
  std::vector<LinkFacts> links;  ///< empty where the backend cannot know them
  Traffic traffic;
  CostFacts costs{};                 ///< what is paid for; nothing where nobody says
  std::map<std::string, Fact> more;  ///< goes into summary.json as it is: perplexities, hashes, network model, ...
};

}  // namespace dipaco

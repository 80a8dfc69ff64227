#pragma once

#include <cstdint>
#include <set>
#include <simgrid/s4u.hpp>
#include <unordered_map>
#include <vector>

#include "backends/sim/engine/links.hpp"
#include "backends/sim/network/by_node.hpp"
#include "backends/sim/network/pair.hpp"
#include "core/base/ids.hpp"

namespace dipaco {

/// The pairs of nodes that have had something to say to each other, and so which nodes know which.
class Pairs {
 public:
  /// @param hosts  [nodes] of each node
  Pairs(const std::vector<simgrid::s4u::Host*>& hosts, LinkUse& links);
  Pairs(const Pairs&) = delete;
  Pairs& operator=(const Pairs&) = delete;
  ~Pairs() = default;

  /// The pair, which stays where it is; from the first call on the two know each other.
  /// @throws ConfigError where no route leads there
  Pair& of(NodeId from, NodeId to);
  /// Null where there has been no message.
  Pair* find(NodeId from, NodeId to);
  /// What has sent to the node, or was sent to by it.
  const std::set<NodeId>& known(NodeId node) const { return nodes_[node].known; }
  std::int32_t nodes() const { return static_cast<std::int32_t>(nodes_.size()); }

 private:
  struct Node {
    simgrid::s4u::Host* host = nullptr;
    std::set<NodeId> known{};
  };

  LinkUse& links_;
  ByNode<Node> nodes_;
  std::unordered_map<std::uint64_t, Pair> pairs_;
};

}  // namespace dipaco

#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <simgrid/s4u.hpp>
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
  Pair& of(NodeId from, NodeId to) {
    Pair* const pair = find(from, to);
    return pair != nullptr ? *pair : add(from, to);
  }
  /// Null where there has been no message.
  Pair* find(NodeId from, NodeId to) const {
    const auto& pairs = nodes_[from].to;
    const auto number = static_cast<std::size_t>(index(to));
    return number < pairs.size() ? pairs[number] : nullptr;
  }
  /// What has sent to the node, or was sent to by it.
  const std::set<NodeId>& known(NodeId node) const { return nodes_[node].known; }
  std::int32_t nodes() const { return static_cast<std::int32_t>(nodes_.size()); }

 private:
  struct Node {
    simgrid::s4u::Host* host = nullptr;
    std::set<NodeId> known{};
    std::vector<Pair*> to{};  ///< by the receiver's number, as far as it sends: servers come first
  };

  Pair& add(NodeId from, NodeId to);

  LinkUse& links_;
  ByNode<Node> nodes_;
  std::deque<Pair> pairs_;
};

}  // namespace dipaco

#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backends/gloo/links/frame.hpp"
#include "backends/gloo/meeting/endpoint.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// Which nodes take part in a run, as far as this node knows, and which of them it is itself. From any thread.
class MemberList {
 public:
  /// @param run  whose state this node has; "": nobody's yet
  explicit MemberList(std::string run) : run_(std::move(run)) {}

  /// This node takes part in `run` under the number `self`.
  void join(NodeId self, const std::string& run);
  /// -1 before join().
  NodeId self() const;
  std::string run() const;

  /// Keeps what `member` says in the place of what was known. @returns whether the node was known, and up
  bool know(const Member& member, Seconds now);
  /// Since when it has been up, or gone, as far as this node knows.
  Seconds since(NodeId node) const;
  /// The node can be reached there.
  void reach_at(NodeId node, const Endpoint& where);
  std::optional<Member> find(NodeId node) const;
  /// All nodes that ever took part, by their numbers.
  std::vector<Member> all() const;
  /// The site of a node; this node's own where the other is not known yet.
  SiteId site_of(NodeId node) const;
  /// "node 3 (worker on machine, host:port)", for the log.
  std::string describe(NodeId node) const;

 private:
  mutable std::mutex mutex_;
  std::map<NodeId, Member> members_;
  std::map<NodeId, Seconds> since_;
  NodeId self_{-1};
  std::string run_;
};

}  // namespace dipaco

#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/ids.hpp"

namespace dipaco {

/// The workers that may be given something, and which of them are free. Pure logic. A call takes as long however many
/// there are.
class Workers {
 public:
  void up(NodeId node, SiteId site, double speed, bool free);
  void gone(NodeId node);
  /// @returns false where it is none (any more)
  bool set_free(NodeId node, bool free);

  bool is_free(NodeId node) const;
  bool any_free() const { return !free_.empty(); }
  /// The fastest free one of all, of equals the lowest number.
  std::optional<NodeId> fastest() const { return first(free_); }
  /// The fastest free one of the site; where it has none, of all.
  std::optional<NodeId> nearest(SiteId site) const;
  /// The same of those that are not among `but`.
  std::optional<NodeId> nearest(SiteId site, const std::set<NodeId>& but) const;
  /// Whether all, free or not, are among `nodes`.
  bool all_among(const std::set<NodeId>& nodes) const;

 private:
  using ByRank = std::set<std::pair<double, NodeId>>;  ///< speed below 0: the fastest comes first
  struct Entry {
    SiteId site{};
    double speed = 0;
    bool free = false;
  };
  static std::optional<NodeId> first(const ByRank& nodes) {
    return nodes.empty() ? std::nullopt : std::optional(nodes.begin()->second);
  }

  std::map<NodeId, Entry> all_;
  ByRank free_;
  std::map<SiteId, ByRank> free_at_;
};

}  // namespace dipaco

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/base/ids.hpp"
#include "core/queue/node_map.hpp"

namespace dipaco {

/// The workers that may be given something, and which of them are free. Pure logic. A call takes as long however many
/// there are, but for up() and gone().
class Workers {
 public:
  /// One that is known already stays to be avoided. @param speed  as Dispatch::worker_up has it
  void up(NodeId node, SiteId site, double speed, bool free);
  void gone(NodeId node);
  /// @returns false where it is none (any more)
  bool set_free(NodeId node, bool free);

  /// What differs from its speed as it was by less than a twentieth changes nothing: the order of equals would follow
  /// the noise of what was measured. Nothing happens where it is none (any more).
  void speed_is(NodeId node, double speed);

  /// A straggler: nothing goes to it for its site's or a path's sake. Nothing happens where it is none (any more).
  void avoid(NodeId node, bool avoided);

  bool contains(NodeId node) const { return all_.contains(node); }
  /// Whether it is free, and not to be avoided.
  bool is_ready(NodeId node) const;
  bool any_free() const { return !free_.empty(); }
  /// All free ones, the fastest first.
  std::vector<NodeId> free() const;
  /// The fastest free one of all, of equals the lowest number.
  std::optional<NodeId> fastest() const { return first(free_); }
  /// The fastest free one of the site that is not to be avoided; where it has none, of all.
  /// @param may  says which ones count
  std::optional<NodeId> nearest(
      SiteId site, const std::function<bool(NodeId)>& may = [](NodeId /*worker*/) { return true; }) const;
  /// Whether all, free or not, are among `nodes`.
  bool all_among(const std::set<NodeId>& nodes) const;

 private:
  using ByRank = std::set<std::pair<double, NodeId>>;  ///< speed below 0: the fastest comes first
  struct Entry {
    SiteId site{};
    double speed = 0;
    bool free = false;
    bool avoided = false;
  };
  void rank_anew(NodeId node, const std::function<void(Entry&)>& change);
  static std::optional<NodeId> first(const ByRank& nodes) {
    return nodes.empty() ? std::nullopt : std::optional(nodes.begin()->second);
  }

  NodeMap<Entry> all_;
  ByRank free_;
  std::map<SiteId, ByRank> free_at_;
};

}  // namespace dipaco

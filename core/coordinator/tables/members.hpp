#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/events/event.hpp"

namespace dipaco {

/// A node that is there, as it said in its hello.
struct KnownNode {
  Role role{};
  SiteId site{};
  std::string machine;
  std::int32_t incarnation = 0;
  double speed = 0;
  std::string arithmetic{};  ///< see Hello
  bool leaving = false;      ///< after a notice: it is given nothing
  bool late = false;         ///< with a job, and asked to say hello: it is given nothing before
  bool serves() const { return !leaving && !late; }
};

/// Who is there: all that have said hello to the coordinator and were not lost since. Pure logic. A look-up takes as
/// long however many there are.
class Members {
 public:
  void add(NodeId node, const KnownNode& member);
  void remove(NodeId node, Seconds now = Seconds(0));
  void leaves(NodeId node);
  void late(NodeId node);

  bool contains(NodeId node) const { return all_.contains(node); }
  /// Null where it is not there.
  const KnownNode* find(NodeId node) const;
  /// REQUIRES that it is there.
  const KnownNode& at(NodeId node) const { return all_.at(node); }
  const std::map<NodeId, KnownNode>& all() const { return all_; }
  const std::set<NodeId>& with(Role role) const { return by_role_[place(role)]; }
  std::int32_t count(Role role) const { return static_cast<std::int32_t>(with(role).size()); }
  /// How many of the role may be given something.
  std::int32_t serving(Role role) const { return serving_[place(role)]; }
  /// How many workers are at the site.
  std::int32_t workers_at(SiteId site) const;
  /// Sites that had nodes and have none, and since when.
  const std::map<SiteId, Seconds>& deserted() const { return deserted_; }
  /// All stores, those of the site first. Sites back each other up in a ring, so that no store has all second copies.
  const std::vector<NodeId>& stores_near(SiteId site) const;
  /// The same, but those of the site begin at another for each turn, so that they get about equally much.
  std::vector<NodeId> stores_near(SiteId site, std::int32_t turn) const;

 private:
  static constexpr std::size_t kRoles = 5;
  static std::size_t place(Role role) { return static_cast<std::size_t>(role); }
  void count(const KnownNode& member, std::int32_t by);
  std::optional<SiteId> take_out(NodeId node);

  std::map<NodeId, KnownNode> all_;
  std::array<std::set<NodeId>, kRoles> by_role_;
  std::array<std::int32_t, kRoles> serving_{};
  std::map<SiteId, std::int32_t> workers_at_;
  std::map<SiteId, std::int32_t> nodes_at_;
  std::map<SiteId, Seconds> deserted_;
  mutable std::map<SiteId, std::vector<NodeId>> stores_near_;  ///< made once asked for, as long as the stores stay
};

/// Of sites that are deserted: whose line a person should look after, before nodes are started there anew. "" or a part
/// of a sentence that ends with "; ".
std::string lines_to_mend(const Members& members, Seconds now);

}  // namespace dipaco

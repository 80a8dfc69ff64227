#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <vector>

#include "core/coordinator/tables/members.hpp"
#include "tests/support/draws.hpp"

namespace dipaco::testing {
namespace {

using Nodes = std::vector<NodeId>;

KnownNode member_at(SiteId site, Role role) { return {.role = role, .site = site, .machine = "", .speed = 1}; }

/// What Members::stores_near says, looked up by a walk over all.
Nodes walk_stores_near(const std::map<NodeId, KnownNode>& all, SiteId site) {
  Nodes near;
  Nodes far;
  for (const auto& [node, member] : all) {
    if (member.role == Role::store) (member.site == site ? near : far).push_back(node);
  }
  for (std::size_t k = 0; k < far.size(); ++k) {
    near.push_back(far[(static_cast<std::size_t>(index(site)) + k) % far.size()]);
  }
  return near;
}

void check_against_walk(const Members& members, const std::map<NodeId, KnownNode>& all, Role role) {
  std::set<NodeId> with;
  std::int32_t serving = 0;
  for (const auto& [node, member] : all) {
    if (member.role != role) continue;
    with.insert(node);
    if (!member.leaving && !member.late) ++serving;
  }
  REQUIRE(members.with(role) == with);
  REQUIRE(members.count(role) == static_cast<std::int32_t>(with.size()));
  REQUIRE(members.serving(role) == serving);
}

}  // namespace

TEST_CASE("a node is a member from its hello until it is lost, in one role", "[coordinator]") {
  Members members;
  CHECK_FALSE(members.contains(NodeId{4}));
  CHECK(members.find(NodeId{4}) == nullptr);
  members.add(NodeId{4}, {.role = Role::worker, .site = SiteId{1}, .machine = "m4", .incarnation = 2, .speed = 3});
  REQUIRE(members.find(NodeId{4}) == &members.at(NodeId{4}));
  CHECK(members.at(NodeId{4}).machine == "m4");
  CHECK(members.with(Role::worker) == std::set{NodeId{4}});
  members.add(NodeId{4}, member_at(SiteId{1}, Role::evaluator));  // says hello again, as another
  CHECK(members.with(Role::worker).empty());
  CHECK(members.with(Role::evaluator) == std::set{NodeId{4}});
  members.remove(NodeId{4});
  members.remove(NodeId{4});  // once more changes nothing
  CHECK_FALSE(members.contains(NodeId{4}));
  CHECK(members.count(Role::evaluator) == 0);
  CHECK(members.serving(Role::evaluator) == 0);
}

TEST_CASE("who leaves or is late is there, but does not serve until it says hello again", "[coordinator]") {
  Members members;
  for (const int node : {1, 2, 3}) members.add(NodeId{node}, member_at(SiteId{0}, Role::evaluator));
  members.late(NodeId{1});
  CHECK(members.serving(Role::evaluator) == 2);
  members.leaves(NodeId{1});  // late and leaving: not counted twice
  members.late(NodeId{1});
  members.leaves(NodeId{2});
  CHECK(members.serving(Role::evaluator) == 1);
  CHECK(members.count(Role::evaluator) == 3);
  CHECK_FALSE(members.at(NodeId{2}).serves());
  members.add(NodeId{1}, member_at(SiteId{0}, Role::evaluator));
  CHECK(members.serving(Role::evaluator) == 2);
  members.remove(NodeId{2});  // did not serve
  CHECK(members.serving(Role::evaluator) == 2);
  members.remove(NodeId{3});
  CHECK(members.serving(Role::evaluator) == 1);
}

TEST_CASE("a site's own stores come first, and the others begin elsewhere for each site", "[coordinator]") {
  Members members;
  for (const auto& [node, site] : std::map<int, int>{{5, 0}, {6, 1}, {7, 2}, {8, 1}}) {
    members.add(NodeId{node}, member_at(SiteId{site}, Role::store));
  }
  members.add(NodeId{9}, member_at(SiteId{0}, Role::worker));
  CHECK(members.stores_near(SiteId{0}) == Nodes{NodeId{5}, NodeId{6}, NodeId{7}, NodeId{8}});
  // Of 5 and 7 the one at place 1 % 2 is first.
  CHECK(members.stores_near(SiteId{1}) == Nodes{NodeId{6}, NodeId{8}, NodeId{7}, NodeId{5}});
  // Of 5, 6 and 8 the one at place 2 % 3.
  CHECK(members.stores_near(SiteId{2}) == Nodes{NodeId{7}, NodeId{8}, NodeId{5}, NodeId{6}});
  // A site without a store: of all four the one at place 7 % 4.
  CHECK(members.stores_near(SiteId{7}) == Nodes{NodeId{8}, NodeId{5}, NodeId{6}, NodeId{7}});
}

TEST_CASE("stores of a site take turns, and those of others come behind them as ever", "[coordinator]") {
  Members members;
  for (const auto& [node, site] : std::map<int, int>{{5, 0}, {6, 0}, {7, 1}, {8, 0}, {9, 2}}) {
    members.add(NodeId{node}, member_at(SiteId{site}, Role::store));
  }
  CHECK(members.stores_near(SiteId{0}, 3) == members.stores_near(SiteId{0}));
  CHECK(members.stores_near(SiteId{0}, 4) == Nodes{NodeId{6}, NodeId{8}, NodeId{5}, NodeId{7}, NodeId{9}});
  CHECK(members.stores_near(SiteId{0}, 5) == Nodes{NodeId{8}, NodeId{5}, NodeId{6}, NodeId{7}, NodeId{9}});
  CHECK(members.stores_near(SiteId{1}, 5) == members.stores_near(SiteId{1}));
  CHECK(members.stores_near(SiteId{7}, 5) == members.stores_near(SiteId{7}));  // it has none
}

TEST_CASE("a store that comes or is lost changes the next answer", "[coordinator]") {
  Members members;
  CHECK(members.stores_near(SiteId{0}).empty());
  members.add(NodeId{5}, member_at(SiteId{0}, Role::store));
  CHECK(members.stores_near(SiteId{0}) == Nodes{NodeId{5}});
  members.add(NodeId{3}, member_at(SiteId{1}, Role::store));
  CHECK(members.stores_near(SiteId{0}) == Nodes{NodeId{5}, NodeId{3}});
  members.add(NodeId{5}, member_at(SiteId{1}, Role::store));  // the same node at another site
  CHECK(members.stores_near(SiteId{0}) == Nodes{NodeId{3}, NodeId{5}});
  members.remove(NodeId{3});
  CHECK(members.stores_near(SiteId{0}) == Nodes{NodeId{5}});
}

TEST_CASE("members are counted and stores ordered as by a walk over all, whatever has happened", "[coordinator]") {
  constexpr std::int32_t kNodes = 12;
  Members members;
  std::map<NodeId, KnownNode> all;
  Draws draws(1);
  for (int k = 0; k < 2000; ++k) {
    const NodeId node{draws.below(kNodes)};
    const std::int32_t what = draws.below(5);
    if (what < 2) {
      const KnownNode member = member_at(SiteId{draws.below(4)}, static_cast<Role>(draws.below(5)));
      members.add(node, member);
      all[node] = member;
    } else if (what == 2) {
      members.remove(node);
      all.erase(node);
    } else if (all.contains(node)) {
      what == 3 ? members.leaves(node) : members.late(node);
      (what == 3 ? all.at(node).leaving : all.at(node).late) = true;
    }
    for (std::int32_t role = 0; role < 5; ++role) check_against_walk(members, all, static_cast<Role>(role));
    // One site an operation, so that some answers were made before several changes.
    const SiteId site{draws.below(5)};
    REQUIRE(members.stores_near(site) == walk_stores_near(all, site));
  }
}

TEST_CASE("a site is deserted from when its last node went until one is there again", "[coordinator]") {
  Members members;
  for (const int node : {1, 2}) members.add(NodeId{node}, member_at(SiteId{3}, Role::store));
  members.add(NodeId{5}, member_at(SiteId{4}, Role::worker));
  members.remove(NodeId{1}, Seconds(10));
  CHECK(members.deserted().empty());
  CHECK(lines_to_mend(members, Seconds(20)).empty());
  members.add(NodeId{2}, member_at(SiteId{3}, Role::store));  // it said hello again
  members.remove(NodeId{2}, Seconds(12));
  members.remove(NodeId{2}, Seconds(15));
  CHECK(members.deserted() == std::map<SiteId, Seconds>{{SiteId{3}, Seconds(12)}});
  CHECK(lines_to_mend(members, Seconds(20)) ==
        "if the nodes of site 3 run, mend the line to them, which has brought nothing for 8.0 s; ");
  members.add(NodeId{9}, member_at(SiteId{3}, Role::worker));
  CHECK(members.deserted().empty());
}

}  // namespace dipaco::testing

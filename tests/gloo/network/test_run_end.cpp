#include <catch2/catch.hpp>

#include "backends/gloo/network/run_end.hpp"

namespace dipaco {
namespace {

using Numbers = std::vector<NodeId>;

const std::vector<Member> kMembers{{.id = NodeId{1}, .role = Role::worker},
                                   {.id = NodeId{2}, .role = Role::executor},
                                   {.id = NodeId{3}, .role = Role::store}};

}  // namespace

TEST_CASE("before the run's end nobody has to hear of it - then executors and stores do, until they have", "[gloo]") {
  RunEnd end(Seconds(10));
  CHECK(end.owed(kMembers) == Numbers{});
  CHECK_FALSE(end.begun());
  end.begin(Seconds(100));
  CHECK(end.begun());
  CHECK(end.owed(kMembers) == Numbers{NodeId{2}, NodeId{3}});
  end.heard(NodeId{2});
  CHECK(end.owed(kMembers) == Numbers{NodeId{3}});
}

TEST_CASE("a worker has to hear of the run's end if it was lost shortly before, and has not come back", "[gloo]") {
  const std::vector<Member> worker{kMembers.front()};
  RunEnd end(Seconds(10));
  end.begin(Seconds(100));
  CHECK(end.owed(worker) == Numbers{});
  end.lost(NodeId{1}, Seconds(91));
  CHECK(end.owed(worker) == Numbers{NodeId{1}});
  end.came_back(NodeId{1});
  CHECK(end.owed(worker) == Numbers{});
  end.lost(NodeId{1}, Seconds(90));
  CHECK(end.owed(worker) == Numbers{});
  end.lost(NodeId{1}, Seconds(120));  // after the end
  CHECK(end.owed(worker) == Numbers{NodeId{1}});
  end.heard(NodeId{1});
  CHECK(end.owed(worker) == Numbers{});
}

}  // namespace dipaco

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <stdexcept>

#include "core/queue/node_map.hpp"
#include "tests/support/draws.hpp"

namespace dipaco::testing {

TEST_CASE("values by node are those of a std::map, in its order, whatever comes and goes", "[queue]") {
  NodeMap<int> values;
  std::map<NodeId, int> expected;
  Draws draws(8);
  for (int k = 0; k < 3000; ++k) {
    const NodeId node{draws.below(40)};
    if (draws.once_in(2)) {
      values.erase(node);
      expected.erase(node);
    } else if (expected.emplace(node, k).second) {
      CHECK(values.insert(node, k) == k);
    }
    REQUIRE(std::map<NodeId, int>(values.begin(), values.end()) == expected);
    REQUIRE(values.size() == expected.size());
    REQUIRE(std::is_sorted(values.begin(), values.end()));
    for (std::int32_t n = -1; n < 45; ++n) {
      const int* const found = values.find(NodeId{n});
      const auto other = expected.find(NodeId{n});
      REQUIRE((found == nullptr) == (other == expected.end()));
      if (found != nullptr) REQUIRE(*found == other->second);
    }
  }
  values.erase(NodeId{7});
  CHECK_THROWS_AS(values.at(NodeId{7}), std::logic_error);
}

}  // namespace dipaco::testing

// dipaco-run --backend gloo at two sites: what goes through the store of one.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/file.hpp"
#include "tests/gloo/started.hpp"

namespace dipaco::testing {

TEST_CASE("workers far from executors share their store's cache and sums, and end with the parameters of one process",
          "[gloo][learn]") {
  const Words shape{"--set", "topology.levels=2x4"};
  Started run;
  run.node("coordinator",
           joined(shape, {"--site", "hub", "--role", "store", "--role", "executor", "--expect", "stores=2"}));
  run.node("store", joined(shape, {"--site", "home"}));
  for (int k = 0; k < 4; ++k) run.node("worker", joined(shape, {"--site", "home"}));
  for (Spawned& process : run.all()) {
    const int status = process.wait(kProcessLimit);
    INFO(process.log());
    REQUIRE(status == 0);
  }
  const auto summary = nlohmann::json::parse(read_text(run.out() + "/summary.json"));
  CHECK(summary["parameters_hash"] == loopback_hash(shape));
  const auto count = [&](const std::string& kind) { return summary.value("messages_" + kind, std::int64_t{0}); };
  // Eight paths with two shared modules each, three outer steps: each gradient goes to its owner or to the store, and
  // from there singly or in a sum, of which each is answered.
  const std::int64_t to_store = count("relayed_gradient") - count("gradient_taken") + count("gradient_sum");
  CHECK(count("outer_gradient") + to_store == 8 * 2 * 3);
  CHECK(to_store > 0);
  CHECK(count("fetch_through_cache") > 0);
  CHECK(count("fetch_failed") == 0);
  CHECK(count("path_module") == 0);  // none was made again
}

}  // namespace dipaco::testing

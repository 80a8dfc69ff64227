#include <catch2/catch.hpp>
#include <vector>

#include "core/base/error.hpp"
#include "core/faults/parse.hpp"

using namespace dipaco;

namespace {

std::string error_of(FaultKind kind, const std::string& value) {
  try {
    parse_faults(kind, value);
  } catch (const ConfigError& error) {
    return error.what();
  }
  FAIL("no ConfigError for " << value);
  return {};
}

std::vector<NodeFacts> made_up_nodes() {
  std::vector<NodeFacts> nodes;
  for (const Role role : {Role::coordinator, Role::store, Role::worker, Role::worker}) {
    nodes.push_back({.id = NodeId{static_cast<std::int32_t>(nodes.size())}, .role = role});
  }
  return nodes;
}

}  // namespace

TEST_CASE("a fault says its node, when it strikes and how long it lasts", "[faults]") {
  const FaultPlan plan =
      parse_faults(FaultKind::restart, "store:0@time=40s,for=2min; worker:13@ outer_step=2, path=7, computing, for=3s");
  REQUIRE(plan.size() == 2);
  CHECK(plan[0].target == FaultTarget{Role::store, 0});
  CHECK(plan[0].time == Seconds(40));
  CHECK(plan[0].lasting == Seconds(120));
  CHECK_FALSE(plan[0].outer_step.has_value());
  CHECK(plan[0].stage == FaultStage::any);
  CHECK(plan[1].target == FaultTarget{Role::worker, 13});
  CHECK(plan[1].outer_step == OuterStep{2});
  CHECK(plan[1].path == PathId{7});
  CHECK(plan[1].stage == FaultStage::computing);
  CHECK_FALSE(plan[1].time.has_value());
}

TEST_CASE("each key gives its kind, in their order, and an empty one nothing", "[faults]") {
  CHECK(parse_faults(FaultOptions{}).empty());
  const std::string fault = "store:0@storing,for=1s";
  const FaultPlan plan = parse_faults({.kill = "store:0@storing",
                                       .restart = fault,
                                       .freeze = fault,
                                       .delay = fault,
                                       .cut = "worker:0-store:0@time=10s,for=5s",
                                       .disk_full = fault,
                                       .short_write = fault,
                                       .sync_error = fault,
                                       .poison = "worker:0@storing,for=1s",
                                       .repeat = fault});
  REQUIRE(plan.size() == kFaultKinds);
  for (std::size_t k = 0; k < kFaultKinds; ++k) CHECK(plan[k].kind == static_cast<FaultKind>(k));
  CHECK(plan[4].target == FaultTarget{Role::worker, 0});
  CHECK(plan[4].peer == FaultTarget{Role::store, 0});
}

TEST_CASE("every stage is written by its name at a role that has it", "[faults]") {
  const std::vector<std::string> nodes{"",         "worker:0", "coordinator:0", "worker:0",    "worker:0",
                                       "worker:0", "worker:0", "executor:0",    "evaluator:0", "store:0"};
  REQUIRE(nodes.size() == kFaultStages);
  for (std::size_t k = 1; k < kFaultStages; ++k) {
    const auto stage = static_cast<FaultStage>(k);
    CHECK(parse_faults(FaultKind::kill, nodes[k] + "@" + name(stage)).at(0).stage == stage);
  }
}

TEST_CASE("what is wrong with a fault is told with its key, the piece and how to write it", "[faults]") {
  const auto kill = [](const std::string& value) { return error_of(FaultKind::kill, value); };
  CHECK(kill("worker:3") ==
        "faults.kill: \"worker:3\": has no @; write when it strikes, as worker:3@outer_step=5,sending");
  CHECK(kill("worker:1@hello;") ==
        "faults.kill: \"\": has no @; write when it strikes, as worker:3@outer_step=5,sending");
  CHECK(kill("wroker:3@hello") == "faults.kill: \"wroker:3@hello\": \"wroker\" is no role; did you mean \"worker\"?");
  CHECK_THAT(kill("worker@hello"),
             Catch::EndsWith("\"worker\" is no node; write ROLE:NUMBER, counted from 0, as worker:3"));
  CHECK_THAT(kill("worker:-1@hello"), Catch::Contains("is no node"));
  CHECK_THAT(kill("worker:0-store:0@hello"), Catch::EndsWith("names two nodes; only a cut has a second one"));
  CHECK_THAT(kill("worker:0@outer_stp=5"),
             Catch::EndsWith("\"outer_stp\" is no condition; did you mean \"outer_step\"?"));
  CHECK_THAT(kill("worker:0@computin"), Catch::EndsWith("did you mean \"computing\"?"));
  CHECK_THAT(kill("worker:0@xyzxyzxyzxyzxyz"), Catch::Contains("write one of outer_step, path, time, for, hello, "));
  CHECK_THAT(kill("worker:0@outer_step=x"), Catch::Contains("\"outer_step=x\" has no count from 0"));
  CHECK_THAT(kill("worker:0@path=-1"), Catch::Contains("\"path=-1\" has no count from 0"));
  CHECK_THAT(kill("worker:0@path=5000000000"), Catch::Contains("has no count from 0"));
  CHECK_THAT(kill("worker:0@time=40"),
             Catch::EndsWith("\"time=40\" is no time with its unit; write it as 40s or 5min"));
  CHECK_THAT(kill("worker:0@path=1,path=2"), Catch::EndsWith("\"path\" is given twice; remove one of them"));
  CHECK_THAT(kill("worker:0@hello,sending"), Catch::EndsWith("\"stage\" is given twice; remove one of them"));
  CHECK_THAT(kill("worker:0@"), Catch::Contains("does not say when"));
  CHECK_THAT(kill("worker:0@hello,for=2s"), Catch::Contains("a kill is for good"));
  CHECK_THAT(kill("worker:0@stepping"), Catch::EndsWith("no worker is ever stepping; name another stage, or none"));
}

TEST_CASE("a fault that passes needs its time, and a storage fault a node that writes", "[faults]") {
  CHECK_THAT(error_of(FaultKind::freeze, "worker:0@for=2s"), Catch::Contains("does not say when"));
  CHECK_THAT(error_of(FaultKind::freeze, "worker:0@hello"), Catch::EndsWith("does not say how long; add for=20s"));
  CHECK_THAT(error_of(FaultKind::delay, "worker:0@hello,for=0s"), Catch::Contains("lasts no time"));
  CHECK_THAT(error_of(FaultKind::cut, "worker:0-worker:0@hello,for=1s"), Catch::Contains("off from itself"));
  CHECK_THAT(error_of(FaultKind::disk_full, "worker:0@path=1,for=1s"), Catch::Contains("no worker writes"));
  CHECK_THAT(error_of(FaultKind::poison, "store:0@storing,for=1s"),
             Catch::EndsWith("no store makes path states; name a worker"));
  CHECK_THAT(error_of(FaultKind::sync_error, "executor:0@sending,for=1s"),
             Catch::EndsWith("nothing is written while sending; its stages are storing and stepping"));
}

TEST_CASE("a node that the run does not have is an error that names those it has", "[faults]") {
  const auto nodes = made_up_nodes();
  const auto problem = [&](FaultKind kind, const std::string& value) -> std::string {
    try {
      check_targets(parse_faults(kind, value), nodes);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(problem(FaultKind::kill, "worker:1@hello; store:0@storing") == "");
  CHECK(problem(FaultKind::kill, "worker:9@hello") ==
        "faults.kill: worker:9 is not in this run, which has 2 of them, worker:0 to worker:1; name one of those, or "
        "change how many there are");
  CHECK_THAT(problem(FaultKind::kill, "store:1@storing"), Catch::Contains("which has one store, store:0;"));
  CHECK_THAT(problem(FaultKind::kill, "executor:0@hello"), Catch::Contains("which has no executor;"));
  CHECK_THAT(problem(FaultKind::cut, "worker:0-store:3@hello,for=1s"), Catch::StartsWith("faults.cut: store:3 is not"));
  CHECK(node_of({Role::worker, 1}, nodes) == NodeId{3});
}

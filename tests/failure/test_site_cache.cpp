// run.site_cache: a version of a module goes to a site once, whichever of its workers need it.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "tests/failure/drawn_faults.hpp"
#include "tests/failure/small_world.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

// Of the small world: the first site has two workers, and the executor of the second owns two of four modules.
constexpr std::size_t kFirstSeed = 5000;
constexpr NodeId kStoreThere{1};
constexpr NodeId kOwnerElsewhere{4};
constexpr NodeId kWorkersThere[] = {NodeId{5}, NodeId{6}};

/// All three workers at the first site, on lines on which outer gradients wait for each other.
const WorldOptions kCrowded{.workers = {100}, .link = "bandwidth=\"5kBps\" latency=\"30ms\"", .crowded = true};

void shape_cached(RunConfig& config, bool cached) {
  config.outer.steps = 5;
  config.inner.steps = 4;
  config.run.site_cache = cached;
  config.liveness = {.period = Seconds(1), .limit = Seconds(3), .deadline = Seconds(3600)};
}

/// How versions have come to the first site from the second.
struct Crossings {
  std::string hash;
  int to_store = 0;
  int to_workers = 0;
  int within = 0;  ///< from the store to workers of its site
  std::uint64_t asked = 0;
  std::uint64_t failed = 0;
};

std::string told(const Crossings& of) {
  std::ostringstream text;
  text << of.hash << ' ' << of.to_store << ' ' << of.to_workers << ' ' << of.within << ' ' << of.asked << ' '
       << of.failed;
  return text.str();
}

Crossings crossings_of(const std::string& text) {
  Crossings of;
  std::istringstream(text) >> of.hash >> of.to_store >> of.to_workers >> of.within >> of.asked >> of.failed;
  return of;
}

Crossings crossings(const RunPlan& plan) {
  return crossings_of(in_child([&] {
    const WorldEnd end = run_world(plan, {});
    Crossings of{.hash = hash_of(end)};
    for (const Event& event : end.simulated.events) {
      const bool module =
          event.kind == EventKind::transfer && event.detail == static_cast<std::uint8_t>(MessageKind::module);
      const bool to_worker = std::ranges::find(kWorkersThere, event.node) != std::end(kWorkersThere);
      if (!module) continue;
      of.to_store += event.peer == kOwnerElsewhere && event.node == kStoreThere ? 1 : 0;
      of.to_workers += event.peer == kOwnerElsewhere && to_worker ? 1 : 0;
      of.within += event.peer == kStoreThere && to_worker ? 1 : 0;
    }
    const auto& messages = end.simulated.report.traffic.messages_by_kind;
    of.asked = messages.at(static_cast<std::size_t>(MessageKind::fetch_through_cache));
    of.failed = messages.at(static_cast<std::size_t>(MessageKind::fetch_failed));
    return told(of);
  }));
}

}  // namespace

TEST_CASE("each version of a module goes to a site once, and its workers get it from their store", "[failure]") {
  MadeUpRun made("2x2");
  shape_cached(made.config, true);
  const Crossings cached = crossings(made.plan());
  shape_cached(made.config, false);
  const Crossings direct = crossings(made.plan());
  REQUIRE(cached.hash.size() == 32);
  CHECK(cached.hash == direct.hash);
  CHECK(cached.to_workers == 0);
  // Two modules, whose last versions are needed for the evaluation of the result.
  CHECK(cached.to_store > 0);
  CHECK(cached.to_store <= 2 * static_cast<int>(made.config.outer.steps));
  CHECK(cached.within > cached.to_store);
  CHECK(cached.asked == static_cast<std::uint64_t>(cached.within));
  CHECK(cached.failed == 0);
  CHECK(direct.to_store == 0);
  CHECK(direct.asked == 0);
  CHECK(direct.to_workers > cached.to_store);
}

TEST_CASE("outer gradients that wait for a line are added at their site, each of them once", "[failure]") {
  MadeUpRun made("2x4");
  shape_cached(made.config, true);
  const auto sent = [&](bool sums) {
    made.config.run.site_sums = sums;
    const RunPlan plan = made.plan();
    return in_child([&] {
      const WorldEnd end = run_world(plan, kCrowded);
      const auto& messages = end.simulated.report.traffic.messages_by_kind;
      std::string text = hash_of(end);
      for (const MessageKind kind :
           {MessageKind::outer_gradient, MessageKind::relayed_gradient, MessageKind::gradient_sum,
            MessageKind::gradient_taken, MessageKind::gradients_lost, MessageKind::path_module}) {
        text += " " + std::to_string(messages.at(static_cast<std::size_t>(kind)));
      }
      return text;
    });
  };
  std::string hash;
  std::uint64_t direct = 0;
  std::uint64_t relayed = 0;
  std::uint64_t sums = 0;
  std::uint64_t taken = 0;
  std::uint64_t lost = 0;
  std::uint64_t made_again = 0;
  std::istringstream(sent(true)) >> hash >> direct >> relayed >> sums >> taken >> lost >> made_again;
  REQUIRE(hash.size() == 32);
  const auto all = static_cast<std::uint64_t>(2 * 8 * made.config.outer.steps);  // one a level and task
  CHECK(sent(false) == hash + " " + std::to_string(all) + " 0 0 0 0 0");
  CHECK(sums > 0);
  CHECK(lost + made_again == 0);
  // Each that does not go to its owner goes to its store, and from there singly or in a sum: one answer for each.
  const std::uint64_t to_store = all - direct;
  CHECK(relayed > to_store);
  CHECK(taken == relayed - to_store + sums);
  CHECK(taken < to_store);
}

TEST_CASE("a run whose outer gradients are added at a site ends with the same parameters whichever host goes off",
          "[failure]") {
  MadeUpRun made("2x4");
  shape_cached(made.config, true);
  made.config.run.replicas = 2;
  const RunPlan plan = made.plan();
  const std::string hash = world_hash(plan, kCrowded);
  REQUIRE(hash.size() == 32);
  std::vector<WorldOptions> worlds;
  for (const HostOutage& outage : outages_at(event_times(plan, kCrowded), 2 * one_in(), {Seconds(0.5), Seconds(20)})) {
    worlds.push_back(kCrowded);
    worlds.back().outages = {outage};
  }
  const auto ends = in_children(worlds.size(), [&](std::size_t k) { return hash_of(run_world(plan, worlds[k])); });
  for (std::size_t k = 0; k < ends.size(); ++k) {
    INFO(worlds[k].outages[0].host << " off at " << worlds[k].outages[0].from.count());
    CHECK(ends[k] == hash);
  }
  std::cout << ends.size() << " runs\n";
}

TEST_CASE("60 runs whose outer gradients are added at a site end with the same parameters under drawn faults",
          "[failure]") {
  MadeUpRun made("2x4");
  shape_cached(made.config, true);
  made.config.run.replicas = 2;
  made.config.liveness.deadline = Seconds(3600);
  const RunPlan plan = made.plan();
  const std::string hash = world_hash(plan, kCrowded);
  REQUIRE(hash.size() == 32);
  const FaultSpace space{.duration = event_times(plan, kCrowded).back()};
  const auto draw = [&](std::size_t k) { return draw_faults(kFirstSeed + k, space); };
  const char* const asked = std::getenv("DIPACO_TORTURE_RUNS");
  const auto ends = in_children(asked == nullptr ? 60 : std::stoul(asked), [&](std::size_t k) {
    WorldOptions world = kCrowded;
    world.faults = draw(k);
    return hash_of(run_world(plan, world));
  });
  for (std::size_t k = 0; k < ends.size(); ++k) {
    INFO(k << ": " << describe(draw(k)));
    if (!may_be_impossible(draw(k), space)) CHECK(ends[k] == hash);
  }
}

}  // namespace dipaco::testing

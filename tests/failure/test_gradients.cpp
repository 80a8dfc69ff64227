// Runs that exchange gradients: a store has the data cursor and what is a path's own, and nothing else; a gradient that
// is lost is made again by its inner step (docs/decisions/0020).

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <iostream>
#include <map>
#include <sstream>

#include "tests/failure/small_world.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

void shape_exchange(RunConfig& config) {
  config.outer.policy = "gradients";
  config.outer.steps = 4;
  config.inner.steps = 1;
  config.evaluate.every = 2;
  config.liveness = {.period = Seconds(1), .limit = Seconds(3), .deadline = Seconds(3600)};
}

/// What became of runs: how many ended alike, how many made gradients again.
struct Endings {
  std::map<std::string, int> by_hash;
  int made_again = 0;
};

/// Runs `plan` once for each outage that is drawn: a host goes off at an event, for as long as one of `off` says.
Endings endings_of(const RunPlan& plan, const std::vector<std::optional<Seconds>>& off) {
  const auto outages = outages_at(event_times(plan), one_in(), off);
  const auto told = in_children(outages.size(), [&](std::size_t k) {
    const WorldEnd end = run_world(plan, {.outages = {outages[k]}});
    const bool made = std::ranges::any_of(end.simulated.events,
                                          [](const Event& event) { return event.kind == EventKind::remaking_done; });
    return hash_of(end) + (made ? " made again" : " sent");
  });
  Endings endings;
  for (std::size_t k = 0; k < told.size(); ++k) {
    const auto [hash, rest] = std::pair(told[k].substr(0, 32), told[k].size() > 32 ? told[k].substr(32) : "");
    const bool ended = rest == " made again" || rest == " sent";
    ++endings.by_hash[ended ? hash : told[k] + " [" + outages[k].host + " off]"];
    endings.made_again += rest == " made again" ? 1 : 0;
  }
  for (const auto& [ending, count] : endings.by_hash) std::cout << count << " runs: " << ending << std::endl;
  std::cout << endings.made_again << " of " << told.size() << " runs made gradients again" << std::endl;
  return endings;
}

void check_alike(const RunPlan& plan, const Endings& endings) {
  const std::string hash = world_hash(plan, {});
  REQUIRE(hash.size() == 32);
  REQUIRE(in_child([&] { return loopback_hash(plan, {.workers = 2}); }) == hash);
  CHECK(endings.by_hash.size() == 1);
  CHECK(endings.by_hash.begin()->first == hash);
  CHECK(endings.made_again > 0);
}

/// "KIND BYTES" of all messages with values between sites and, behind "in", within them.
std::map<std::string, double> bytes_moved(const RunPlan& plan) {
  const std::string text = in_child([&] {
    const WorldEnd end = run_world(plan, {});
    std::string lines;
    for (const Event& event : end.simulated.events) {
      if (event.kind != EventKind::transfer) continue;
      // Nodes 2, 4 and 7 of small_world.cpp are at the second site.
      const auto west = [](NodeId node) { return index(node) == 2 || index(node) == 4 || index(node) == 7; };
      const bool within = west(event.node) == west(event.peer);
      lines += std::string(within ? "in-" : "") + name(static_cast<MessageKind>(event.detail)) + " " +
               std::to_string(event.bytes) + "\n";
    }
    return lines;
  });
  std::map<std::string, double> moved;
  std::istringstream lines(text);
  std::string what;
  for (double bytes = 0; lines >> what >> bytes;) moved[what] += bytes;
  return moved;
}

}  // namespace

TEST_CASE("a run that exchanges gradients ends with the same parameters whichever host goes off, at any event",
          "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  shape_exchange(made.config);
  made.config.run.replicas = 2;
  const RunPlan plan = made.plan();
  check_alike(plan, endings_of(plan, {Seconds(0.5), Seconds(20), std::nullopt}));
}

TEST_CASE("without replicas, and with paths that sit out, gradients that are lost are made again, too", "[failure]") {
  MadeUpRun made("2x2");
  shape_exchange(made.config);
  made.config.outer.steps = 6;
  made.config.evaluate.every = 0;
  made.config.routing.sample_paths = 0.5;
  const RunPlan plan = made.plan();
  check_alike(plan, endings_of(plan, {Seconds(0.5), Seconds(20)}));
}

TEST_CASE("where nothing is learned, the inner step of a lost gradient is charged, and the run ends", "[failure]") {
  MadeUpRun made("2x2");
  shape_exchange(made.config);
  const RunPlan plan = made.plan_of_costs();
  Fault fault{.kind = FaultKind::kill, .target = {Role::worker, 0}};
  fault.outer_step = OuterStep{1};
  fault.stage = FaultStage::sending;
  const std::string told = in_child([&] {
    const WorldEnd end = run_world(plan, {.faults = {fault}});
    const auto made_again = std::ranges::count_if(
        end.simulated.events, [](const Event& event) { return event.kind == EventKind::remaking_done; });
    return std::to_string(made_again) + " made again, " + std::to_string(end.result.contributions.settled) + " settled";
  });
  // Two executors lack a gradient each, and say so one after the other: the second when the step is being done for the
  // first. 4 outer steps of 4 paths with 2 modules each.
  CHECK(told == "2 made again, 32 settled");
}

TEST_CASE("where gradients are exchanged, gradients and parameters cross between sites, and nothing else",
          "[failure]") {
  MadeUpRun made("shared:3");  // three workers: each path stays with its own
  shape_exchange(made.config);
  made.config.evaluate.every = 0;
  for (const bool learned : {true, false}) {
    const RunPlan plan = learned ? made.plan() : made.plan_of_costs();
    const double n = static_cast<double>(plan.charged.size);
    const auto moved = bytes_moved(plan);
    // One executor owns the only module. Of the workers, two are at the first site and one at the second: which of them
    // have to cross depends on which executor it is. A gradient has 43 bytes beside its values, a module 29. Each
    // worker gets three versions to train from, and the last one to evaluate, where there is something to evaluate.
    const double steps = 4;
    const double gradient = 43 + 4 * n;
    const double module = 29 + 4 * n;
    const double versions = steps - 1 + (learned ? 1 : 0);
    const double far = moved.at("outer_gradient") / (steps * gradient);
    CHECK((far == 1 || far == 2));
    CHECK(moved.at("module") == far * versions * module);
    CHECK(moved.at("in-outer_gradient") == (3 - far) * steps * gradient);
    CHECK(moved.at("in-module") == (3 - far) * versions * module);
    // Kind, epoch, worker, path, version, inner steps 21, total and loss 16, five empty arrays.
    CHECK(moved.at("in-put_path_state") == steps * 3 * (21 + 16 + 5 * 8));
    CHECK(moved.size() == 5);
  }
}

TEST_CASE("where gradients are exchanged, a state has the path's own parameters twice and AdamW's moments of them",
          "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  shape_exchange(made.config);
  made.config.evaluate.every = 0;
  made.config.charge = ChargeOptions{made.config.model, made.config.inner};
  made.config.charge->model.hidden = 12;
  for (const bool learned : {true, false}) {
    const RunPlan plan = learned ? made.plan() : made.plan_of_costs();
    const double specific = static_cast<double>(specific_size(plan.topology, plan.charged, PathId{0}));
    REQUIRE(specific > 0);
    const double state = 21 + 16 + 5 * 8 + 4 * 4 * specific;
    auto moved = bytes_moved(plan);
    CHECK(moved["put_path_state"] + moved["in-put_path_state"] == 4 * 4 * state);
    // The evaluation of a path gets the parameters behind the last step alone; who says no epoch and worker has 8 bytes
    // fewer. A path whose worker is another one than before is fetched whole.
    const double evaluated = learned ? 4 * (13 + 16 + 5 * 8 + 4 * specific) : 0;
    const double whole = (moved["path_state"] + moved["in-path_state"] - evaluated) / (state - 8);
    CHECK(whole == std::floor(whole));
    CHECK(whole < 4 * 3);  // a path stays with its worker, if that is free
  }
}

}  // namespace dipaco::testing

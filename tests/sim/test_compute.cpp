#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <optional>
#include <thread>

#include "backends/sim/compute.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "tests/sim/simulated.hpp"

namespace dipaco::testing {
namespace {

using Catch::Matchers::Contains;

/// A machine's end, and what comes before it.
struct MachineEnd {
  Seconds end{};
  Seconds notice{};
  std::optional<Seconds> reserve{};
  std::optional<Seconds> mail{};  ///< urgent
  FaultPlan faults{};
};

/// Node 1 is on a machine with such an end. It does 10 steps of 2 s. Says what came of it.
std::string steps_before(const MachineEnd& machine) {
  return in_child([=] {
    std::string said = "killed";
    std::string last_call;  // the pool may drop the first one before it begins
    run_nodes(
        {full_platform(2, kLink)}, 2,
        [&](const PlacedNode& node, Seams seams) {
          if (node.id == kCoordinator) {
            if (machine.mail) {
              seams.transport.receive(*machine.mail);
              seams.transport.send(NodeId{1}, make_message(Task{.again = true}));
            }
            seams.transport.receive(Seconds(60));
            return;
          }
          const auto work = [&](InnerSteps limit, const auto&) {
            last_call = std::to_string(limit.value);
            return limit;
          };
          const InnerSteps done = seams.compute.run(InnerSteps{10}, Flops{2e9}, work, machine.reserve);
          said = std::to_string(done.value) + " steps at " + format_fixed(seams.compute.now().count(), 0) +
                 (seams.compute.leaving() ? " leaving" : "") + ", last call for " + last_call;
          if (seams.compute.leaving() != (seams.compute.gone_at() == std::optional(machine.end))) said += " or not";
          const InnerSteps more = seams.compute.run(
              InnerSteps{1}, Flops{1}, [](InnerSteps n, const auto&) { return n; }, std::nullopt);
          if (more.value > 0) said += " and more";
        },
        {.faults = machine.faults, .threads = 1}, {},
        [=](Placement& placement) {
          placement.preemptions.push_back({.site = SiteId{0},
                                           .steps = {{Seconds(0), 1}, {machine.end, 0}},
                                           .notice = machine.notice,
                                           .hosts = {"h1"}});
        });
    return said;
  });
}

}  // namespace

TEST_CASE("steps kept end with the step at hand", "[sim]") {
  // 10 steps of 2: 13 of 20 are left, so 3.5 are done; half a step is left to pay.
  CHECK(kept_steps(InnerSteps{10}, 2.0, 13.0).steps.value == 4);
  CHECK(kept_steps(InnerSteps{10}, 2.0, 13.0).rest == 1.0);
  CHECK(kept_steps(InnerSteps{10}, 2.0, 12.0).steps.value == 4);  // just at a step's end
  CHECK(kept_steps(InnerSteps{10}, 2.0, 12.0).rest == 0.0);
  CHECK(kept_steps(InnerSteps{10}, 2.0, 12.0 - 1e-9).steps.value == 4);  // rounding is no step
  CHECK(kept_steps(InnerSteps{10}, 2.0, 20.0).steps.value == 0);
  CHECK(kept_steps(InnerSteps{10}, 2.0, 0.0).steps.value == 10);
  CHECK(kept_steps(InnerSteps{10}, 0.0, 0.0).steps.value == 10);
  // 3.5 are done, and 2.4 more come to 5.9.
  CHECK(kept_steps(InnerSteps{10}, 2.0, 13.0, 2.4).steps.value == 5);
  CHECK(kept_steps(InnerSteps{10}, 2.0, 13.0, 2.4).rest == 3.0);
  CHECK(kept_steps(InnerSteps{10}, 2.0, 13.0, 0.4).steps.value == 4);
  CHECK(kept_steps(InnerSteps{10}, 2.0, 13.0, -9.0).steps.value == 4);
  CHECK(kept_steps(InnerSteps{10}, 2.0, 13.0, 99.0).steps.value == 10);
}

TEST_CASE("a notice ends the run with the step at hand, and the work is done anew for these steps", "[sim]") {
  const auto before = [](double end, double notice) { return steps_before({Seconds(end), Seconds(notice)}); };
  CHECK(before(100, 5) == "10 steps at 20, last call for 10 and more");
  CHECK(before(12, 5) == "4 steps at 8 leaving, last call for 4");     // notice at 7
  CHECK(before(13, 5) == "4 steps at 8 leaving, last call for 4");     // notice at 8, a step's end
  CHECK(before(24, 5) == "10 steps at 20 leaving, last call for 10");  // notice at 19, in the last step
  CHECK(before(7.5, 1) == "killed");                                   // the step at hand ends too late
  CHECK(before(7.5, 0) == "killed");
}

TEST_CASE("steps under a notice end so early that the reserve is left, or with the step at hand", "[sim]") {
  const auto keeping = [](double end, double notice, double reserve) {
    return steps_before({Seconds(end), Seconds(notice), Seconds(reserve)});
  };
  CHECK(keeping(18, 11, 3) == "7 steps at 14 leaving, last call for 7");    // notice at 7; by 15
  CHECK(keeping(18, 11, 1.5) == "8 steps at 16 leaving, last call for 8");  // by 16.5
  CHECK(keeping(18, 11, 9.5) == "4 steps at 8 leaving, last call for 4");   // by 8.5
  CHECK(keeping(18, 11, 60) == "4 steps at 8 leaving, last call for 4");    // the step at hand ends anyway
  CHECK(keeping(40, 33, 3) == "10 steps at 20 leaving, last call for 10");  // all are done by then
  CHECK(keeping(40, 5, 3) == "10 steps at 20, last call for 10 and more");  // notice at 35
}

TEST_CASE("what a freeze takes of a notice is not computed in, and urgent mail ends the run as ever", "[sim]") {
  const FaultPlan frozen{{.kind = FaultKind::freeze,
                          .target = {.role = Role::worker, .number = 0},
                          .time = Seconds(9),
                          .lasting = Seconds(4)}};
  const MachineEnd machine{.end = Seconds(20), .notice = Seconds(12), .reserve = Seconds(2.5)};
  CHECK(steps_before(machine) == "8 steps at 16 leaving, last call for 8");  // by 17.5
  // 4.5 steps at 9, and at 13; 6.5 at 17
  MachineEnd with_freeze = machine;
  with_freeze.faults = frozen;
  CHECK(steps_before(with_freeze) == "6 steps at 16 leaving, last call for 6");
  with_freeze.notice = Seconds(10);  // at 10, while it is frozen
  CHECK(steps_before(with_freeze) == "6 steps at 16 leaving, last call for 6");
  MachineEnd with_mail = machine;
  with_mail.mail = Seconds(10.5);
  CHECK(steps_before(with_mail) == "6 steps at 12 leaving, last call for 6");
}

TEST_CASE("urgent mail ends the run with the step at hand, and work of one step not at all", "[sim]") {
  const auto done_with = [](const Message& message, Seconds at, InnerSteps steps) {
    return in_child([&] {
      std::string said;
      run_nodes({full_platform(2, kLink)}, 2,
                [&](const PlacedNode& node, Seams seams) {
                  if (node.id == kCoordinator) {
                    seams.transport.receive(at);
                    seams.transport.send(NodeId{1}, message);
                    seams.transport.receive(Seconds(60));
                    return;
                  }
                  const auto work = [](InnerSteps limit, const auto&) { return limit; };
                  said = std::to_string(seams.compute.run(steps, Flops{2e9}, work, std::nullopt).value);
                  said += " steps at " + format_fixed(seams.compute.now().count(), 6);
                  if (at < seams.compute.now())
                    said += ", again " + std::to_string(seams.compute.run(steps, Flops{2e9}, work, std::nullopt).value);
                  while (seams.transport.receive(Seconds(0))) {
                  }
                  said += ", then " +
                          std::to_string(seams.compute.run(InnerSteps{2}, Flops{2e9}, work, std::nullopt).value);
                },
                {.threads = 1});
      return said;
    });
  };
  const Message stop = make_message(Task{.again = true});
  CHECK(done_with(stop, Seconds(7), InnerSteps{10}) == "4 steps at 8.000000, again 1, then 2");
  CHECK(done_with(make_message(Goodbye{}), Seconds(7), InnerSteps{10}) == "4 steps at 8.000000, again 1, then 2");
  CHECK(done_with(stop, Seconds(1), InnerSteps{1}) == "1 steps at 2.000000, again 1, then 2");
  const Message where = make_message(Task{.again = true, .to_stores = {NodeId{3}}});
  CHECK(done_with(where, Seconds(7), InnerSteps{10}) == "10 steps at 20.000000, again 10, then 2");
}

TEST_CASE("work of a host that goes off is stopped", "[sim]") {
  const std::string said = in_child([] {
    std::atomic<bool> begun = false;
    std::atomic<bool> stopped = false;
    run_nodes(
        {full_platform(2, kLink)}, 2,
        [&](const PlacedNode& node, Seams seams) {
          if (node.id == kCoordinator) {
            seams.transport.receive(Seconds(1));
            while (!begun) std::this_thread::yield();
            seams.transport.receive(Seconds(60));
            return;
          }
          seams.compute.run(
              InnerSteps{10}, Flops{2e9},
              [&](InnerSteps, const std::atomic<bool>& stop) {
                begun = true;
                while (!stop) std::this_thread::yield();
                stopped = true;
                return InnerSteps{0};
              },
              std::nullopt);
        },
        {.threads = 1}, {},
        [](Placement& placement) {
          placement.preemptions.push_back(
              {.site = SiteId{0}, .steps = {{Seconds(0), 1}, {Seconds(5), 0}}, .hosts = {"h1"}});
        });
    return std::string(stopped ? "stopped" : "not stopped");
  });
  CHECK(said == "stopped");
}

TEST_CASE("what work throws ends the simulation with it", "[sim]") {
  CHECK(in_child([] {
          run_nodes({full_platform(2, kLink)}, 2,
                    [](const PlacedNode& node, Seams seams) {
                      if (node.id == kCoordinator) seams.transport.receive(Seconds(-1));
                      seams.compute.run(
                          InnerSteps{1}, Flops{1e9},
                          [](InnerSteps, const auto&) -> InnerSteps { throw DataError("the run has diverged"); },
                          std::nullopt);
                    },
                    {.threads = 1});
          return std::string("ended");
        }) == "threw: the run has diverged");
}

TEST_CASE("nodes that all wait end the simulation with an error, and so does a coordinator that does not come back",
          "[sim]") {
  const auto wait = [](const PlacedNode&, Seams seams) { seams.transport.receive(Seconds(-1)); };
  const auto run = [&](const std::vector<HostOutage>& outages, const std::vector<HostFailures>& failures = {}) {
    return in_child([&] {
      run_nodes({full_platform(2, kLink)}, 2, wait, {.deadline = Seconds(100)}, {}, [&](Placement& placement) {
        placement.outages = outages;
        placement.failures = failures;
      });
      return std::string("ended");
    });
  };
  CHECK_THAT(run({}), Contains("every node waits for another"));
  CHECK_THAT(run({{"h0", Seconds(5), std::nullopt}}), Contains("its host \"h0\" is off since 5.000 s"));
  CHECK_THAT(run({{"h0", Seconds(0), std::nullopt}}), Contains("its host \"h0\" is off since 0.000 s"));
  // A worker that fails and comes back for ever does not keep the run going: 5 s + limit + deadline.
  const std::vector<HostFailures> for_ever{{.host = "h1", .number = 1, .mtbf = Seconds(20), .mttr = Seconds(5)}};
  CHECK_THAT(run({{"h0", Seconds(5), std::nullopt}}, for_ever),
             Contains("at 115.000 s") && Contains("off since 5.000 s"));
  // It is back, and waits as before.
  CHECK_THAT(run({{"h0", Seconds(5), Seconds(50)}}), Contains("every node waits for another"));
}

}  // namespace dipaco::testing

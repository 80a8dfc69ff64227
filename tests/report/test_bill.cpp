// Dollars and kilowatt hours, worked by hand.

#include <catch2/catch.hpp>
#include <sstream>

#include "core/base/file.hpp"
#include "core/report/accounts/account.hpp"
#include "core/report/accounts/bill.hpp"
#include "core/report/report.hpp"
#include "tests/report/made_up_run.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace dipaco;

namespace {

Intervals times(std::vector<Interval> intervals) { return Intervals::merged(std::move(intervals)); }

MachineFacts machine(std::vector<Interval> there, double usd_per_hour) {
  return {.name = "m", .there = std::move(there), .price = UsdPerHour{usd_per_hour}};
}

}  // namespace

TEST_CASE("a machine is billed from its first moment to the end, one that its owner takes away while it is there",
          "[report]") {
  // There from 100 to 1000 and from 2000 on; the run ends at 4600.
  const std::vector<Interval> there{{Seconds(100), Seconds(1000)}, {Seconds(2000), Seconds(9000)}};
  CostFacts costs;
  costs.machines = {machine(there, 7.2), machine(there, 7.2), machine({}, 7.2)};
  costs.machines[1].billed_while_away = false;
  const Bill bill = make_bill(costs, {}, std::vector<Intervals>(3), Seconds(4600));
  CHECK(bill.machines[0].there == Seconds(900 + 2600));
  CHECK(bill.machines[0].billed == Seconds(4500));
  CHECK(bill.machines[0].usd->value == 9);  // 7.2 x 4500 / 3600
  CHECK(bill.machines[1].billed == Seconds(3500));
  CHECK(bill.machines[1].usd->value == 7);
  CHECK(bill.machines[2].usd->value == 0);  // it never came
  CHECK(bill.machine_usd->value == 16);
  CHECK(bill.usd->value == 16);
  CHECK_FALSE(bill.egress_usd);
  CHECK_FALSE(bill.energy);
}

TEST_CASE("a machine draws its idle watts while it is there, its busy watts while it computes, times the PUE",
          "[report]") {
  MachineFacts one{.name = "m", .there = {{Seconds(0), Seconds(3600)}}};
  one.power = {.idle = {100}, .busy = {400}, .pue = 1.5};
  one.power_price = UsdPerKilowattHour{0.2};
  // Half an hour of work, a quarter of which the machine was not there for.
  const std::vector<Intervals> busy{times({{Seconds(2700), Seconds(4500)}})};
  const Bill bill = make_bill({.machines = {one}, .egress = {}}, {}, busy, Seconds(7200));
  CHECK(bill.machines[0].busy == Seconds(900));
  // 1.5 x (100 W x 2700 s + 400 W x 900 s) / 3.6e6 = 1.5 x (0.075 + 0.1)
  CHECK(bill.energy->value == Approx(0.2625));
  CHECK(bill.energy_usd->value == Approx(0.0525));
  CHECK(bill.usd->value == Approx(0.0525));
  CHECK_FALSE(bill.machine_usd);
}

TEST_CASE("egress is paid for each direction by itself, and not within a site", "[report]") {
  Traffic traffic;
  const SiteId east{0};
  const SiteId west{1};
  traffic.count(MessageKind::module, Bytes{3'000'000'000}, east, west);
  traffic.count(MessageKind::module, Bytes{500'000'000}, west, east);
  traffic.count(MessageKind::module, Bytes{9'000'000'000}, east, east);
  CostFacts costs;
  costs.egress = {{{east, west}, {.usd = 0.08}}, {{west, east}, {.usd = 0.12}}, {{east, east}, {.usd = 1}}};
  const Bill bill = make_bill(costs, traffic, {}, Seconds(1));
  CHECK(bill.egress.at({east, west}).value == Approx(0.24));
  CHECK(bill.egress.at({west, east}).value == Approx(0.06));
  CHECK(bill.egress.size() == 2);
  CHECK(bill.egress_usd->value == Approx(0.3));
  CHECK(make_bill({}, traffic, {}, Seconds(1)).usd == std::nullopt);
  CHECK(make_bill(costs, {}, {}, Seconds(1)).egress_usd->value == 0);  // it has a price: nothing was sent
}

TEST_CASE("a machine is busy in inner steps, useful or lost, and in jobs of its nodes", "[report]") {
  auto run = testing::made_up_run();
  run.facts.costs.machines = {{.name = "e3", .site = SiteId{0}}, {.name = "w0", .site = SiteId{1}}, {.name = "e0"}};
  const Account account = make_account(run.facts, run.events);
  const auto busy = busy_times(run.facts, account, run.events);
  // e3: 2 to 12, 22 to 32, 42 to 52, 67 to 69, and a job from 81, which is after the end.
  REQUIRE(busy.size() == 3);
  CHECK(busy[0].within(times({{Seconds(0), Seconds(80)}})).total() == Seconds(32));
  // w0: 5 to 13, where it went down and its steps were lost, and 45 to 61.
  CHECK(busy[1].total() == Seconds(24));
  CHECK(busy[2].total() == Seconds(0));
  Seconds of_workers{};
  for (const WorkerTime& worker : account.workers) of_workers += worker.compute + worker.lost + worker.evaluate;
  CHECK(of_workers == Seconds(56));  // the same, as workers.csv has it
}

TEST_CASE("an evaluator's machine is busy, too, and two nodes on one machine are busy once", "[report]") {
  auto run = testing::made_up_run();
  run.facts.nodes.push_back({.id = NodeId{5}, .role = Role::evaluator, .site = SiteId{0}, .host = "e3"});
  run.events.push_back({.time = Seconds(0), .kind = EventKind::node_up, .node = NodeId{5}});
  run.events.push_back({.time = Seconds(10), .kind = EventKind::evaluation_started, .node = NodeId{5}});
  run.events.push_back({.time = Seconds(15), .kind = EventKind::evaluation_done, .node = NodeId{5}});
  run.facts.costs.machines = {{.name = "e3", .site = SiteId{0}, .there = {{Seconds(0), Seconds(80)}}}};
  const Account account = make_account(run.facts, run.events);
  CHECK(account.bill.machines[0].busy == Seconds(32 + 3));  // 12 to 15: until 12 the worker was busy
}

namespace {

/// The made-up run with prices: five machines at 36 dollars an hour (a cent a second), w0 spot; 0.5 USD for 1,000 bytes
/// from east to west, which are 2,000, and nothing the other way.
testing::MadeUpRun priced_run() {
  auto run = testing::made_up_run();
  CostFacts& costs = run.facts.costs;
  for (const NodeFacts& node : run.facts.nodes) {
    costs.machines.push_back({.name = node.host,
                              .site = node.site,
                              .billed_while_away = !node.preemptible,
                              .there = {{Seconds(0), Seconds(80)}},
                              .price = UsdPerHour{36}});
    costs.machines.back().power = {.idle = {3600}, .busy = {36000}};
  }
  costs.machines.back().there = {{Seconds(0), Seconds(13)}, {Seconds(30), Seconds(66)}};
  costs.egress = {{{SiteId{0}, SiteId{1}}, {.usd = 0.5, .unit = Bytes{1000}}}, {{SiteId{1}, SiteId{0}}, {.usd = 0}}};
  return run;
}

}  // namespace

TEST_CASE("a run with prices has dollars and kilowatt hours in its files and on the screen, others have none",
          "[report]") {
  const auto run = priced_run();
  const TemporaryFolder folder;
  std::stringstream screen;
  write_outputs(run.facts, run.events, {.folder = folder.path(), .screen = &screen});
  const auto summary = summarize(run.facts, run.events);
  const auto usd = [&](const char* key) { return std::get<double>(summary.at(key)); };
  CHECK(usd("machine_usd") == Approx(4 * 0.8 + 0.49));
  CHECK(usd("egress_usd") == 1);
  CHECK(usd("usd") == Approx(4.69));
  // A kWh is 1,000 s idle or 100 s busy: 369 s there, of which 56 busy.
  CHECK(usd("kwh") == Approx((369 - 56) * 0.001 + 56 * 0.01));
  CHECK_FALSE(summary.contains("energy_usd"));
  CHECK(read_text(folder.path() / "machines.csv").find("\nw0,west,36,49,49,24,0.49,0.265,\n") != std::string::npos);
  CHECK(read_text(folder.path() / "egress.csv").find("\neast,west,2000,0.5,1000,1\n") != std::string::npos);
  CHECK(screen.str().find("cost        4.69 USD: machines 3.69, egress 1.00; 0.8730 kWh\n") != std::string::npos);

  const auto plain = testing::made_up_run();
  std::stringstream plain_screen;
  write_outputs(plain.facts, plain.events, {.folder = folder.path(), .screen = &plain_screen});
  CHECK_FALSE(std::filesystem::exists(folder.path() / "machines.csv"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "egress.csv"));
  CHECK(plain_screen.str().find("cost") == std::string::npos);
  for (const auto& [key, fact] : summarize(plain.facts, plain.events)) {
    CHECK((key.find("usd") == std::string::npos && key.find("kwh") == std::string::npos));
  }
}

TEST_CASE("the screen names energy alone where nothing has a price", "[report]") {
  auto run = priced_run();
  for (MachineFacts& of : run.facts.costs.machines) of.price.reset();
  run.facts.costs.egress.clear();
  std::stringstream screen;
  print_summary(screen, run.facts, run.events, "out");
  CHECK(screen.str().find("cost        0.8730 kWh\n") != std::string::npos);
}

TEST_CASE("a run says when it was as good as it was to be, and what it had cost by then", "[report]") {
  auto run = priced_run();
  run.facts.more["validation_perplexity_outer_step_1"] = 46.0;  // of what the outer step that ends after 40 s makes
  const auto reached = [&](double target) {
    run.facts.target_perplexity = target;
    return make_account(run.facts, run.events).target;
  };
  CHECK_FALSE(reached(43));  // at the end it is 43.25
  CHECK_FALSE(reached(0));
  CHECK(reached(45)->time == Seconds(80));
  CHECK(reached(45)->usd->value == Approx(4.69));
  const auto early = reached(46);
  REQUIRE(early);
  CHECK(early->time == Seconds(40));
  // Four machines for 40 s and w0 for 13 + 10, at a cent a second; w0 had got 1,000 of its 2,000 bytes.
  CHECK(early->usd->value == Approx(4 * 0.4 + 0.23 + 0.5));

  const auto summary = summarize(run.facts, run.events);
  CHECK(std::get<double>(summary.at("target_s")) == 40);
  CHECK(std::get<double>(summary.at("usd_per_target")) == Approx(2.33));
  std::stringstream screen;
  print_summary(screen, run.facts, run.events, "out");
  CHECK(screen.str().find("target      perplexity 46.00 after 40.0 s, 2.33 USD\n") != std::string::npos);
  run.facts.target_perplexity = 20;
  print_summary(screen, run.facts, run.events, "out");
  CHECK(screen.str().find("target      perplexity 20.00 was not reached\n") != std::string::npos);
  CHECK_FALSE(summarize(run.facts, run.events).contains("target_s"));
}

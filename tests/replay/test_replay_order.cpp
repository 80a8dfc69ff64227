#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "backends/loopback/run.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/checkpoint/journal.hpp"
#include "core/replay/replay.hpp"
#include "core/state/order.hpp"
#include "core/state/records.hpp"
#include "core/storage/memory_storage.hpp"
#include "tests/support/made_up_run.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

/// What a run on loopback left.
struct LeftRun {
  std::string parameters_hash;
  std::vector<std::byte> order;
};

LeftRun run_in_real_time(const RunPlan& plan, std::int32_t workers) {
  const TemporaryFolder folder;
  const auto done = run_loopback(plan, {.workers = workers, .state = folder.path()});
  const MappedFile order(folder.path() / "node-0/model/order");
  return {done.result.parameters_hash, {order.bytes().begin(), order.bytes().end()}};
}

std::vector<std::byte> journal_of(const std::vector<OrderRecord>& records) {
  MemoryStorage storage;
  OrderLog log(storage, true);
  for (const OrderRecord& record : records) log.note(record);
  log.flush();
  return storage.get("order").value();
}

TaskId task(std::int32_t path, std::int32_t outer_step) { return {PathId{path}, OuterStep{outer_step}}; }

void shape_replayed(RunConfig& config) {
  config.outer.steps = 5;
  config.inner.steps = 6;
  config.evaluate.every = 0;
  config.outer.policy = "asynchronous";
}

}  // namespace

TEST_CASE("what a run on threads came to, whoever came first, is computed again to the bit from its order",
          "[replay]") {
  std::set<std::string> hashes;
  for (const char* policy : {"asynchronous", "quorum"}) {
    for (int time = 0; time < 5; ++time) {
      MadeUpRun made("2x2", "blocks:0");
      shape_replayed(made.config);
      made.config.outer.policy = policy;
      made.config.outer.staleness_weight = "polynomial";
      made.config.outer.max_staleness = 2;
      if (std::string(policy) == "asynchronous") {
        made.config.outer.delay_compensation = 0.5;
        made.config.inner.dylu = time % 2 == 1;
      }
      const RunPlan plan = made.plan();
      const LeftRun left = run_in_real_time(plan, 3);
      std::int64_t last = 0;
      const ReplayEnd again = replay(plan, left.order, "order", [&](std::int64_t done, std::int64_t all) {
        CHECK(done == ++last);
        CHECK(all >= 4 * 5);
      });
      CHECK(again.parameters_hash == left.parameters_hash);
      CHECK(again.tasks == last);
      CHECK(again.versions > 0);
      hashes.insert(left.parameters_hash);
    }
  }
  CHECK(hashes.size() > 1);
}

TEST_CASE("what a run of two regions on threads came to is computed again to the bit, merges and all", "[replay]") {
  for (int time = 0; time < 6; ++time) {
    MadeUpRun made("shared:4", time % 2 == 1 ? "blocks:0" : "");
    shape_replayed(made.config);
    made.config.outer.policy = "hierarchical";
    made.config.topology.regions = 2;
    made.config.outer.merge_every = 1 + time % 3;
    made.config.inner.dylu = time > 3;
    const RunPlan plan = made.plan();
    const LeftRun left = run_in_real_time(plan, 3);
    const ReplayEnd again = replay(plan, left.order, "order");
    CHECK(again.parameters_hash == left.parameters_hash);
    std::map<bool, std::int64_t> versions;  // of global parts, and of others
    for (const auto& [module, all] : read_order(left.order, "order").versions)
      versions[plan.topology.is_global(module)] += std::ssize(all);
    CHECK(versions.at(true) >= 4);
    CHECK(versions.at(false) >= 20);
  }
}

TEST_CASE("another order of contributions gives other parameters", "[replay]") {
  MadeUpRun made("shared:2");
  shape_replayed(made.config);
  made.config.outer.steps = 1;
  made.config.outer.optimizer = "nesterov";
  const RunPlan plan = made.plan();
  const Base start{{{0, 0}, Version{0}}};
  const auto hash = [&](std::int32_t first) {
    return replay(plan,
                  journal_of({OrderedTask{task(0, 0), 6, start}, OrderedTask{task(1, 0), 6, start},
                              OrderedVersion{{0, 0}, Version{1, 1}, {task(first, 0)}},
                              OrderedVersion{{0, 0}, Version{2, 1}, {task(1 - first, 0)}}}),
                  "order")
        .parameters_hash;
  };
  CHECK(hash(0) != hash(1));
  CHECK(hash(0) == hash(0));
}

TEST_CASE("an order that says the same twice is read as once, and one that lacks something is refused", "[replay]") {
  const OrderedVersion first{{0, 0}, Version{1, 1}, {task(0, 0)}};
  const OrderedVersion second{{0, 0}, Version{2, 2}, {task(0, 0), task(1, 0)}};  // of a coordinator that began anew
  const RunOrder order =
      read_order(journal_of({OrderedTask{task(0, 0), 6}, OrderedTask{task(0, 0), 6}, first, first, second}), "order");
  CHECK(order.tasks.at(PathId{0}).size() == 1);
  REQUIRE(order.versions.at({0, 0}).size() == 2);
  CHECK(order.versions.at({0, 0})[1].applied == std::vector<TaskId>{task(1, 0)});
  CHECK_THROWS_WITH(read_order(journal_of({OrderedTask{task(0, 1), 6}}), "order"),
                    Catch::Contains("outer step 0 of path 0 is lacking"));
  CHECK_THROWS_WITH(
      read_order(journal_of({first, OrderedVersion{{0, 0}, Version{3, 1}, {task(1, 0), task(2, 0)}}}), "order"),
      Catch::Contains("version 2 of module 0.0 is lacking: the coordinator never heard of it"));
  CHECK_THROWS_AS(read_order(std::vector<std::byte>(40, std::byte{7}), "order"), DataError);
}

TEST_CASE("an order that is another run's, or ends before the run, is not replayed", "[replay]") {
  MadeUpRun made("2x2");
  shape_replayed(made.config);
  const RunPlan plan = made.plan();
  LeftRun left = run_in_real_time(plan, 2);
  const auto refused = [&](const RunPlan& by, std::span<const std::byte> order, const char* why) {
    CHECK_THROWS_WITH(replay(by, order, "order"), Catch::Contains(why));
  };
  Journal journal = read_journal(left.order, "order");
  std::vector<OrderRecord> records;
  for (const auto& record : journal.records) records.push_back(decode_record<OrderRecord>(record, "order"));
  const auto is_task = [](const OrderRecord& record) { return std::holds_alternative<OrderedTask>(record); };
  std::vector<OrderRecord> without_a_task = records;
  without_a_task.erase(std::find_if(without_a_task.rbegin(), without_a_task.rend(), is_task).base() - 1);
  refused(plan, journal_of(without_a_task), "its end is lacking");
  for (const auto& wrong : {OrderRecord(OrderedTask{task(4, 0), 6}), OrderRecord(OrderedTask{task(0, 0), 7}),
                            OrderRecord(OrderedTask{task(0, 0), 6, {{{0, 1}, Version{0}}}}),
                            OrderRecord(OrderedVersion{{0, 2}, {1, 1}, {task(0, 0)}})}) {
    refused(plan, journal_of({wrong}), "the order is of another run");
  }
  std::vector<OrderRecord> of_nobody = records;
  of_nobody.emplace_back(OrderedVersion{{0, 0}, {11, 1}, {task(-3, 0)}});
  refused(plan, journal_of(of_nobody), "its end is lacking");
  refused(plan, journal_of({OrderedTask{task(0, 0), 6, {{{9, 0}, Version{0}}, {{1, 0}, Version{0}}}}}),
          "the order is of another run");
  MadeUpRun rounds("2x2");
  refused(rounds.plan(), left.order, "is one in rounds");
}

}  // namespace dipaco::testing

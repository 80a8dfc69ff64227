#include <catch2/catch.hpp>

#include "core/base/error.hpp"
#include "core/state/ledger.hpp"
#include "core/storage/memory_storage.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco {
namespace {

constexpr const char* kJournal = "journal";

LedgerRecord of_path(std::int32_t version) {
  return PathRecord{.path = PathId{1},
                    .version = version,
                    .inner_steps = 2,
                    .site = SiteId{3},
                    .state_epoch = 4,
                    .loss_sum = 5.5,
                    .epoch = 6,
                    .worker = NodeId{7},
                    .to_stores = {NodeId{8}, NodeId{9}}};
}

std::vector<LedgerRecord> one_of_each() {
  return {RunRecord{"config", "prepared"},
          MemberRecord{NodeId{1}, Role::store},
          Owner{{1, 2}, NodeId{3}, 4},
          ModuleRecord{{1, 2}, Version{3}, {{PathId{4}, OuterStep{5}}}, {{PathId{4}, OuterStep{4}, "late"}}},
          of_path(3),
          Evaluated{PathId{1}, 2, Purpose::progress, 3.5, 4, 5, 6},
          ClosedRecord{7, Purpose::progress, 3.5, 4, 5, 6},
          TrainedRecord{8.5},
          FinishedRecord{"hash", "mixed"},
          EveryRecord{3},
          RefusedTaskRecord{PathId{1}, OuterStep{5}, {2, 3}, {NodeId{4}, NodeId{6}}},
          RefusalsRecord{NodeId{4}, 1, 2},
          WayRecord{SiteId{1}, SiteId{2}, 4e-6},
          StepTimeRecord{NodeId{4}, 2, 0.25},
          MeasuredPathRecord{{.path = PathId{6}, .version = 4}, 19, 38, 500},
          PlaceRecord{NodeId{4}, SiteId{2}, 1e12}};
}

}  // namespace

TEST_CASE("every kind of record survives encoding", "[state]") {
  const auto records = one_of_each();
  REQUIRE(records.size() == std::variant_size_v<LedgerRecord>);
  for (std::size_t kind = 0; kind < records.size(); ++kind) {
    REQUIRE(records[kind].index() == kind);
    const auto bytes = encode(records[kind]);
    CHECK(encode(decode_ledger_record(bytes, "test")) == bytes);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      CHECK_THROWS_AS(decode_ledger_record(std::span(bytes).first(length), "test"), DataError);
    }
  }
}

TEST_CASE("a ledger that is opened again comes to what was flushed, not to what was only noted", "[state]") {
  const MadeUpRun run("2x2");
  const RunPlan plan = run.plan();
  MemoryStorage storage;
  {
    Ledger ledger(storage, plan);
    CHECK_FALSE(ledger.begun());
    for (std::size_t k = 1; k < one_of_each().size(); ++k) ledger.note(one_of_each()[k]);
    ledger.flush();
    ledger.note(of_path(4));
  }
  const Ledger again(storage, plan);
  CHECK(again.begun());
  CHECK(again.state().members.at(NodeId{1}) == Role::store);
  CHECK(again.state().places.at(NodeId{4}).site == SiteId{2});
  CHECK(again.state().owners.at({1, 2}).epoch == 4);
  CHECK(again.state().modules.at({1, 2}).version == Version{3});
  CHECK(again.state().modules.at({1, 2}).settled.at(PathId{4}) == OuterStep{5});
  CHECK(again.state().modules.at({1, 2}).dropped == std::vector<Dropped>{{PathId{4}, OuterStep{4}, "late"}});
  CHECK(again.state().paths.at(PathId{1}).version == 3);
  CHECK(again.state().paths.at(PathId{1}).to_stores.size() == 2);
  CHECK(again.state().scores.size() == 1);
  CHECK(again.state().closed.at({7, Purpose::progress}).tokens == 4);
  CHECK(again.state().trained->duration_s == 8.5);
  CHECK(again.state().finished->parameters_hash == "hash");
  CHECK(again.state().every->every == 3);
}

TEST_CASE("a torn last record is dropped, and what follows is written behind the whole ones", "[state]") {
  const MadeUpRun run("2x2");
  const RunPlan plan = run.plan();
  MemoryStorage storage;
  {
    Ledger ledger(storage, plan);
    ledger.note(of_path(1));
    ledger.flush();
  }
  const auto whole = *storage.get(kJournal);
  {
    Ledger ledger(storage, plan);
    ledger.note(of_path(2));
    ledger.flush();
  }
  const auto longer = *storage.get(kJournal);
  REQUIRE(longer.size() > whole.size());
  for (std::size_t size = whole.size(); size < longer.size(); ++size) {
    storage.put(kJournal, std::span(longer).first(size));
    Ledger ledger(storage, plan);
    CHECK(ledger.state().paths.at(PathId{1}).version == 1);
    ledger.note(of_path(3));
    ledger.flush();
    CHECK(Ledger(storage, plan).state().paths.at(PathId{1}).version == 3);
  }
}

TEST_CASE("a record that is damaged in the middle is an error that names the byte", "[state]") {
  const MadeUpRun run("2x2");
  const RunPlan plan = run.plan();
  MemoryStorage storage;
  {
    Ledger ledger(storage, plan);
    ledger.note(of_path(1));
    ledger.note(of_path(2));
    ledger.flush();
  }
  auto bytes = *storage.get(kJournal);
  bytes[bytes.size() / 2] ^= std::byte{1};
  storage.put(kJournal, bytes);
  CHECK_THROWS_WITH(Ledger(storage, plan), Catch::Contains("journal") && Catch::Contains("byte"));
}

TEST_CASE("a journal of another configuration is refused with both hashes", "[state]") {
  MadeUpRun run("2x2");
  MemoryStorage storage;
  const RunPlan plan = run.plan();
  { const Ledger ledger(storage, plan); }
  run.config.inner.learning_rate = 0.5;
  const RunPlan other = run.plan();
  REQUIRE(other.config_hash != plan.config_hash);
  CHECK_THROWS_WITH(Ledger(storage, other), Catch::Contains(plan.config_hash) && Catch::Contains(other.config_hash));
}

TEST_CASE("a path's best version has the least hold-out loss a token, the earliest of equals", "[state]") {
  std::map<PathId, Evaluated> best;  // §2.7
  const auto note = [&](std::int32_t path, std::int32_t version, double nats, std::int64_t tokens) {
    note_best(best, Evaluated{PathId{path}, version, Purpose::early_stopping, nats, tokens, 0, 0});
    return best.at(PathId{path}).version;
  };
  CHECK(note(0, 2, 30, 10) == 2);
  CHECK(note(0, 3, 20, 10) == 3);
  CHECK(note(0, 4, 25, 10) == 3);
  CHECK(note(0, 5, 38, 20) == 5);  // 1.9 a token
  CHECK(note(0, 6, 38, 20) == 5);
  CHECK(note(0, 1, 38, 20) == 1);  // answers come in any order
  CHECK(note(1, 4, 90, 10) == 4);  // each path has its own
  CHECK(best.at(PathId{0}).version == 1);
  // Without a hold-out nothing speaks against the last version.
  CHECK(note(2, 1, 0, 0) == 1);
  CHECK(note(2, 3, 0, 0) == 3);
  CHECK(note(2, 2, 0, 0) == 3);
}

TEST_CASE("a journal does not grow with the run", "[state]") {
  const MadeUpRun run("2x2");
  const RunPlan plan = run.plan();
  MemoryStorage storage;
  Ledger ledger(storage, plan);
  std::size_t largest = 0;
  for (std::int32_t version = 1; version < 20'000; ++version) {
    ledger.note(of_path(version));
    ledger.flush();
    largest = std::max(largest, storage.get(kJournal)->size());
  }
  CHECK(largest <= 16 * 1024);
  CHECK(Ledger(storage, plan).state().paths.at(PathId{1}).version == 19'999);
}

TEST_CASE("a ledger forgets who spoilt a task once its path is past it, and a row once it has ended", "[runtime]") {
  LedgerState state;
  state.apply(RefusedTaskRecord{PathId{1}, OuterStep{5}, {2}, {NodeId{4}}});
  state.apply(of_path(5));
  CHECK(state.refused.contains(PathId{1}));
  state.apply(of_path(6));
  CHECK(state.refused.empty());
  state.apply(RefusalsRecord{NodeId{4}, 1, 2});
  CHECK(state.refusals.at(NodeId{4}).in_a_row == 2);
  state.apply(RefusalsRecord{NodeId{4}, 1, 0});
  CHECK(state.refusals.empty());
}

}  // namespace dipaco

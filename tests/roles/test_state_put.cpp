#include <catch2/catch.hpp>
#include <optional>
#include <vector>

#include "core/roles/state_put.hpp"
#include "tests/roles/kept_messages.hpp"
#include "tests/support/set_clock.hpp"

namespace dipaco::testing {
namespace {

constexpr NodeId kNearStore{8};
constexpr NodeId kFarStore{9};
const std::vector<NodeId> kBothStores{kNearStore, kFarStore};

/// A put of path 2's state 3 by attempt 4.
struct PutOnItsOwn {
  KeptMessages sent;
  SetClock clock;
  StatePut put{sent, clock};

  PutOnItsOwn() { begin(); }
  void begin() { put.begin(4, state); }
  /// How long the put of the same state may take; -1: nothing is known.
  double longest() const {
    const auto lasting = put.lasting(state);
    return lasting ? lasting->longest.count() : -1;
  }
  PathStateBody state{.path = PathId{2}, .version = 3};
  std::vector<NodeId> send() {
    put.send(kBothStores);
    std::vector<NodeId> stores;
    for (const auto& [store, message] : sent.take<PutPathState>()) stores.push_back(store);
    return stores;
  }
  void answer(NodeId store, bool accepted = true) {
    put.answered({.path = PathId{2}, .version = 3, .epoch = 4, .accepted = accepted, .store = store});
  }
};

}  // namespace

TEST_CASE("a state is sent to each store once, and says whose attempt it was", "[roles]") {
  PutOnItsOwn one;
  CHECK(one.put.unsent(kBothStores));
  one.put.send(kBothStores);
  const auto messages = one.sent.take<PutPathState>();
  REQUIRE(messages.size() == 2);
  CHECK(messages[0].first == kNearStore);
  CHECK(messages[0].second.epoch == 4);
  CHECK(messages[0].second.worker == one.sent.self());
  CHECK(messages[0].second.state.version == 3);
  CHECK_FALSE(one.put.unsent(kBothStores));
  CHECK(one.send().empty());
}

TEST_CASE("a state is put once each store has it", "[roles]") {
  PutOnItsOwn one;
  one.send();
  one.answer(kNearStore);
  CHECK_FALSE(one.put.all_answered(kBothStores));
  CHECK(one.put.all_answered({kNearStore}));  // the other one is away
  one.answer(kFarStore);
  CHECK(one.put.all_answered(kBothStores));
  CHECK_FALSE(one.put.refused());
}

TEST_CASE("one store that refuses is enough", "[roles]") {
  PutOnItsOwn one;
  one.send();
  one.answer(kNearStore);
  one.answer(kFarStore, false);
  CHECK(one.put.refused());
  one.put.begin(5, {.path = PathId{2}, .version = 3});  // what was answered before does not count
  CHECK_FALSE(one.put.refused());
  CHECK(one.put.unsent({kNearStore}));
}

TEST_CASE("what a lost store has not answered is sent again, what is late too, and nothing else", "[roles]") {
  PutOnItsOwn one;
  one.send();
  one.answer(kNearStore);
  one.put.lost(kNearStore);  // it has it
  CHECK(one.send().empty());
  one.put.lost(kFarStore);
  CHECK(one.put.unsent(kBothStores));
  CHECK(one.send() == std::vector{kFarStore});
  CHECK(one.send().empty());
}

TEST_CASE("a put lasts from its sending to the last store's answer", "[roles]") {
  PutOnItsOwn one;
  one.clock.time = Seconds(10);
  one.send();
  one.clock.time = Seconds(13);
  one.answer(kNearStore);
  CHECK(one.longest() == -1);
  one.clock.time = Seconds(18);
  one.answer(kFarStore);
  CHECK(one.longest() == 8);
  one.clock.time = Seconds(30);
  one.answer(kFarStore);  // once more
  CHECK(one.longest() == 8);
  // One that is 1000 charged floats larger takes as much longer as it has more bytes.
  const auto weight = [](const PathStateBody& state) {
    return static_cast<double>(make_message(PutPathState{.state = state}).wire_size.value);
  };
  PathStateBody larger = one.state;
  larger.parameters.charged = 1000;
  CHECK(weight(larger) == weight(one.state) + 4000);
  CHECK(one.put.lasting(larger)->longest.count() == Approx(8 * weight(larger) / weight(one.state)));
}

TEST_CASE("a put of which something was lost, or that another store was to have later, is not measured", "[roles]") {
  PutOnItsOwn lossy;
  lossy.send();
  lossy.put.lost(kFarStore);
  lossy.send();
  lossy.answer(kNearStore);
  lossy.answer(kFarStore);
  CHECK(lossy.longest() == -1);
  PutOnItsOwn later;
  later.put.send({kNearStore});
  later.clock.time = Seconds(5);
  later.send();
  later.answer(kNearStore);
  later.answer(kFarStore);
  CHECK(later.longest() == -1);
  PutOnItsOwn ended;
  ended.send();
  ended.answer(kNearStore);
  ended.put.end();
  ended.answer(kFarStore);
  CHECK(ended.longest() == -1);
}

TEST_CASE("an answer to another put, or to one that has ended, is not taken", "[roles]") {
  PutOnItsOwn one;
  one.send();
  const Stored good{.path = PathId{2}, .version = 3, .epoch = 4, .accepted = true, .store = kNearStore};
  const auto taken = [&](const auto& change) {
    Stored stored = good;
    change(stored);
    one.put.answered(stored);
    return one.put.all_answered({kNearStore});
  };
  CHECK_FALSE(taken([](Stored& stored) { stored.path = PathId{1}; }));
  CHECK_FALSE(taken([](Stored& stored) { stored.version = 2; }));
  CHECK_FALSE(taken([](Stored& stored) { stored.inner_steps = 1; }));
  CHECK_FALSE(taken([](Stored& stored) { stored.epoch = 3; }));
  one.put.end();
  CHECK_FALSE(taken([](Stored& /*same*/) {}));
}

}  // namespace dipaco::testing

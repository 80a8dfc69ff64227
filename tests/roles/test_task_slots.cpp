#include <catch2/catch.hpp>

#include "core/roles/task_slots.hpp"

namespace dipaco::testing {
namespace {

constexpr TaskId kGiven{PathId{1}, OuterStep{2}};

Task given(Epoch epoch) {
  return {.id = kGiven,
          .epoch = epoch,
          .first_inner_step = 3,
          .inner_steps = 9,
          .last = true,
          .from_store = NodeId{7},
          .to_stores = {NodeId{7}},
          .base = {{{0, 0}, Version{2}}}};
}

Task again(Epoch epoch, NodeId from_store, std::vector<NodeId> to_stores) {
  return {.id = kGiven, .epoch = epoch, .again = true, .from_store = from_store, .to_stores = std::move(to_stores)};
}

}  // namespace

TEST_CASE("a task waits, is at hand, and has ended", "[roles]") {
  TaskSlots tasks;
  CHECK_FALSE(tasks.waits());
  CHECK(tasks.present() == nullptr);
  tasks.take(given(1));
  CHECK(tasks.waits());
  CHECK_FALSE(tasks.at_hand());
  REQUIRE(tasks.present() != nullptr);
  CHECK(tasks.present()->epoch == 1);
  CHECK(tasks.begin().id == kGiven);
  CHECK_FALSE(tasks.waits());
  CHECK(tasks.at_hand());
  tasks.take(given(2));
  CHECK(tasks.waits());
  CHECK(tasks.present()->epoch == 1);  // the one at hand
  CHECK(tasks.end().epoch == 1);
  CHECK(tasks.present()->epoch == 2);
}

TEST_CASE("a task that is told again says where things are now, and keeps what it is", "[roles]") {
  for (const bool begun : {false, true}) {
    TaskSlots tasks;
    tasks.take(given(1));
    if (begun) tasks.begin();
    tasks.take(again(1, NodeId{8}, {NodeId{8}, NodeId{9}}));
    CHECK(tasks.waits() == !begun);
    CHECK(tasks.present()->from_store == NodeId{8});
    CHECK(tasks.present()->to_stores.size() == 2);
    CHECK(tasks.present()->base.size() == 1);
    CHECK(tasks.present()->first_inner_step == 3);
    CHECK(tasks.present()->inner_steps == 9);
    CHECK(tasks.present()->last);
    tasks.take(again(1, NodeId{-1}, {NodeId{9}}));
    CHECK(tasks.present()->from_store == NodeId{8});  // is away, and may come back
    CHECK(tasks.present()->to_stores == std::vector{NodeId{9}});
  }
}

TEST_CASE("what is told again of another attempt, or of a task that has ended, is dropped", "[roles]") {
  TaskSlots tasks;
  tasks.take(again(1, NodeId{8}, {}));
  CHECK(tasks.present() == nullptr);
  tasks.take(given(2));
  tasks.begin();
  tasks.take(again(1, NodeId{8}, {}));
  CHECK(tasks.present()->from_store == NodeId{7});
  tasks.end();
  tasks.take(again(2, NodeId{8}, {}));
  CHECK(tasks.present() == nullptr);
}

TEST_CASE("a task at hand is given up once no store is to get its state", "[roles]") {
  TaskSlots tasks;
  tasks.take(given(1));
  tasks.begin();
  CHECK_FALSE(tasks.given_up());
  tasks.take(again(1, NodeId{7}, {}));
  CHECK(tasks.given_up());
  tasks.end();
  CHECK_FALSE(tasks.given_up());
}

}  // namespace dipaco::testing

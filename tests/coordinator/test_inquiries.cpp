#include <catch2/catch.hpp>

#include "core/coordinator/tables/inquiries.hpp"

namespace dipaco::testing {
namespace {

constexpr NodeId kNode{4};

Movement module_at(std::uint64_t arrived) {
  return {.received = 7, .under_way = {{NodeId{2}, true, MessageKind::module, Bytes{1000}, Bytes{arrived}}}};
}

}  // namespace

TEST_CASE("there is hope for a node that was not asked, or that answers and where something moves", "[coordinator]") {
  Inquiries inquiries;
  CHECK(inquiries.hopeful(kNode));
  inquiries.asked(kNode);
  CHECK_FALSE(inquiries.hopeful(kNode));
  inquiries.answered(kNode, module_at(10), Seconds(1));
  CHECK(inquiries.hopeful(kNode));  // nothing is known that could be compared
  inquiries.asked(kNode);
  inquiries.answered(kNode, module_at(20), Seconds(2));
  CHECK(inquiries.hopeful(kNode));
  inquiries.asked(kNode);
  inquiries.answered(kNode, module_at(20), Seconds(3));
  CHECK_FALSE(inquiries.hopeful(kNode));
  inquiries.asked(kNode);
  inquiries.answered(kNode, {.received = 8}, Seconds(4));  // it has come
  CHECK(inquiries.hopeful(kNode));
}

TEST_CASE("of a cache that several workers ask, each compares what it had answered when it asked itself",
          "[coordinator]") {
  constexpr NodeId kOtherWorker{5};
  constexpr NodeId kItsCache{2};
  Inquiries inquiries;
  const auto ask = [&](NodeId worker, std::uint64_t arrived, double time) {
    inquiries.asked_with(worker, kItsCache);
    inquiries.asked(worker);
    inquiries.answered(worker, {.received = 1}, Seconds(time));
    inquiries.asked(kItsCache);
    inquiries.answered(kItsCache, module_at(arrived), Seconds(time));
  };
  ask(kNode, 10, 1);
  ask(kOtherWorker, 20, 2);
  CHECK(inquiries.cache_moved(kNode, kItsCache));  // nothing is known that could be compared
  ask(kNode, 20, 2.001);
  CHECK_FALSE(inquiries.hopeful(kItsCache));  // its two newest answers are the same
  CHECK(inquiries.cache_moved(kNode, kItsCache));
  ask(kNode, 20, 4);
  CHECK_FALSE(inquiries.cache_moved(kNode, kItsCache));
  ask(kOtherWorker, 30, 9);
  CHECK(inquiries.cache_moved(kOtherWorker, kItsCache));
  CHECK(inquiries.cache_moved(kNode, kItsCache));
  inquiries.asked(kItsCache);  // just now, for another worker
  CHECK(inquiries.cache_moved(kNode, kItsCache));
  inquiries.asked(kNode);
  CHECK_FALSE(inquiries.cache_moved(kNode, kItsCache));  // it computes, or hangs
  CHECK_FALSE(inquiries.cache_moved(NodeId{9}, kItsCache));
}

TEST_CASE("an answer of a node that has something else to do by now says nothing", "[coordinator]") {
  Inquiries inquiries;
  inquiries.asked(kNode);
  inquiries.forget(kNode);
  inquiries.answered(kNode, module_at(10), Seconds(1));
  CHECK(inquiries.find(kNode) == nullptr);
  CHECK(inquiries.hopeful(kNode));
}

TEST_CASE("a transfer creeps that has moved between two answers of the time that is meant", "[coordinator]") {
  Inquiries inquiries;
  CHECK_FALSE(inquiries.any_creeps(Seconds(0)));
  const auto answer = [&](const Movement& movement, double time) {
    inquiries.asked(kNode);
    inquiries.answered(kNode, movement, Seconds(time));
  };
  answer(module_at(10), 1);
  CHECK_FALSE(inquiries.any_creeps(Seconds(0)));
  answer(module_at(20), 2);
  CHECK(inquiries.any_creeps(Seconds(0)));
  CHECK_FALSE(inquiries.any_creeps(Seconds(1.5)));  // it may have moved before
  answer(module_at(20), 3);
  CHECK_FALSE(inquiries.any_creeps(Seconds(0)));
  answer({.received = 8}, 4);
  CHECK_FALSE(inquiries.any_creeps(Seconds(0)));  // it has come: that is no slow link
}

TEST_CASE("what was asked twice while a node computed is answered twice, which does not mean that it stands",
          "[coordinator]") {
  Inquiries inquiries;
  inquiries.asked(kNode);
  inquiries.asked(kNode);
  inquiries.answered(kNode, {.received = 8}, Seconds(1));
  inquiries.answered(kNode, {.received = 8}, Seconds(1));
  CHECK(inquiries.hopeful(kNode));
  CHECK(inquiries.find(kNode)->number == 1);
}

}  // namespace dipaco::testing

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "backends/gloo/links/streams/handover.hpp"

namespace dipaco {
namespace {

constexpr StreamPlace kPlace{3, 17};

/// Two descriptors, which are open until somebody closes them.
std::array<int, 2> two_descriptors() {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  return ends;
}

bool is_open(int descriptor) { return ::fcntl(descriptor, F_GETFD) != -1; }

}  // namespace

TEST_CASE("a stream's thread that is told to leave says how far it is, and is given another connection", "[gloo]") {
  std::atomic<bool> told{false};
  bool by_itself = true;
  std::optional<Handover::Next> next;
  Handover handover([&] { told = true; });
  std::jthread thread([&] {
    while (!told) std::this_thread::yield();
    by_itself = handover.left(kPlace);
    next = handover.take();
  });
  CHECK(handover.cut() == kPlace);
  handover.offer({.socket = 5, .place = kPlace});
  thread.join();
  CHECK_FALSE(by_itself);
  REQUIRE(next);
  CHECK(next->socket == 5);
  CHECK(next->place == kPlace);
  CHECK_FALSE(handover.interrupted());
}

TEST_CASE("a stream's thread is interrupted while it has a connection, and not while it waits for one", "[gloo]") {
  int interrupts = 0;
  Handover handover([&] { ++interrupts; });
  CHECK(handover.left(kPlace));
  CHECK(handover.cut() == kPlace);
  handover.offer({.socket = 5, .place = kPlace});
  CHECK(interrupts == 0);
  REQUIRE(handover.take());
  handover.offer({.socket = 6, .place = kPlace});
  CHECK(interrupts == 1);
  CHECK(handover.interrupted());
  CHECK_FALSE(handover.left(kPlace));
  const auto next = handover.take();
  REQUIRE(next);
  CHECK(next->socket == 6);
}

TEST_CASE("a connection that is offered and not taken is closed, by the next one or at the end", "[gloo]") {
  const auto [first, second] = two_descriptors();
  {
    Handover handover([] {});
    handover.offer({.socket = first, .place = kPlace});
    CHECK(is_open(first));
    handover.offer({.socket = second, .place = kPlace});
    CHECK_FALSE(is_open(first));
    CHECK(is_open(second));
  }
  CHECK_FALSE(is_open(second));
}

TEST_CASE("nobody waits for a stream's thread that has ended, and it waits for nothing once stopped", "[gloo]") {
  int interrupts = 0;
  Handover ended([&] { ++interrupts; });
  ended.end();
  ended.cut();
  CHECK(interrupts == 0);
  Handover stopped([&] { ++interrupts; });
  stopped.offer({.socket = -1, .place = kPlace});
  interrupts = 0;
  stopped.stop();
  CHECK(interrupts == 1);
  CHECK_FALSE(stopped.take());
}

}  // namespace dipaco

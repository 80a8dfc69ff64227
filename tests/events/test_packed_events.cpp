#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/random.hpp"
#include "core/events/events.hpp"

using namespace dipaco;

namespace {

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

bool same(const Event& a, const Event& b) {
  return bits(a.time.count()) == bits(b.time.count()) && a.kind == b.kind && a.detail == b.detail &&
         a.attempt == b.attempt && a.node == b.node && a.peer == b.peer && a.path == b.path && a.module == b.module &&
         a.outer_step == b.outer_step && a.inner_steps == b.inner_steps &&
         bits(a.begin.count()) == bits(b.begin.count()) && a.bytes == b.bytes && bits(a.value) == bits(b.value);
}

/// How many of the events came back as they were, or -1 where their number differs.
std::ptrdiff_t kept(const std::vector<Event>& before, const std::vector<Event>& after) {
  if (before.size() != after.size()) return -1;
  std::ptrdiff_t count = 0;
  for (std::size_t i = 0; i < before.size(); ++i) count += same(before[i], after[i]) ? 1 : 0;
  return count;
}

PackedEvents packed(const std::vector<Event>& events) {
  PackedEvents packed;
  for (const Event& event : events) packed.add(event);
  return packed;
}

/// The extremes of each field, now and then, and any bits for the rest: no event of a run looks so.
Event drawn_event(std::uint64_t i) {
  const auto draw = [i](std::uint64_t what) {
    const std::uint64_t any = draw_bits(7, Draw::jitter, i, what);
    const std::uint64_t choice = draw_below(6, 7, Draw::jitter, i, what + 100);
    if (choice == 0) return std::uint64_t{0};
    if (choice == 1) return ~std::uint64_t{0};
    if (choice == 2) return std::uint64_t{1} << 63U;
    if (choice == 3) return any & 0xfU;
    return any;
  };
  const auto small = [&](std::uint64_t what) {
    return std::bit_cast<std::int32_t>(static_cast<std::uint32_t>(draw(what)));
  };
  return {.time = Seconds(std::bit_cast<double>(draw(0))),
          .kind = static_cast<EventKind>(draw(1) % (static_cast<std::uint64_t>(EventKind::transfer) + 1)),
          .detail = static_cast<std::uint8_t>(draw(2)),
          .attempt = static_cast<std::int16_t>(draw(3)),
          .node = NodeId{small(4)},
          .peer = NodeId{small(5)},
          .path = PathId{small(6)},
          .module = {small(7), small(8)},
          .outer_step = OuterStep{small(9)},
          .inner_steps = small(10),
          .begin = Seconds(std::bit_cast<double>(draw(11))),
          .bytes = draw(12),
          .value = std::bit_cast<double>(draw(13))};
}

/// Outer steps of 16 workers as a backend tells them: times and losses with all their digits.
std::vector<Event> lifelike(int outer_steps) {
  std::vector<Event> events;
  double time = 0;
  for (std::int32_t step = 0; step < outer_steps; ++step) {
    for (std::int32_t worker = 0; worker < 16; ++worker) {
      const auto draw = static_cast<std::uint64_t>(step * 16 + worker);
      const auto later = [&](std::uint64_t k) { return Seconds(time += draw_uniform(3, Draw::jitter, draw, k)); };
      Event event{.time = later(0),
                  .kind = EventKind::task_assigned,
                  .attempt = 1,
                  .node = NodeId{worker + 3},
                  .path = PathId{worker},
                  .outer_step = OuterStep{step}};
      for (const EventKind kind : {EventKind::task_assigned, EventKind::task_started, EventKind::task_computed}) {
        event.kind = kind;
        event.time = later(static_cast<std::uint64_t>(kind));
        event.inner_steps = kind == EventKind::task_computed ? 150 : 0;
        event.value = kind == EventKind::task_computed ? 500 + 100 * draw_uniform(3, Draw::jitter, draw, 50) : 0;
        events.push_back(event);
      }
      for (std::int32_t level = 0; level < 2; ++level) {
        events.push_back({.time = later(60 + static_cast<std::uint64_t>(level)),
                          .kind = EventKind::transfer,
                          .detail = 12,
                          .node = NodeId{1 + level},
                          .peer = NodeId{worker + 3},
                          .path = PathId{worker},
                          .module = {level, worker / 4},
                          .outer_step = OuterStep{step},
                          .begin = event.time,
                          .bytes = static_cast<std::uint64_t>(1'000'000 + 345'678 * level)});
      }
    }
  }
  return events;
}

}  // namespace

TEST_CASE("packed events come back bit for bit, whatever is in them", "[events]") {
  std::vector<Event> events{{}};
  for (std::uint64_t i = 0; i < 20000; ++i) events.push_back(drawn_event(i));  // many blocks
  const PackedEvents log = packed(events);
  CHECK(log.size() == events.size());
  CHECK(kept(events, log.events()) == static_cast<std::ptrdiff_t>(events.size()));
  CHECK(PackedEvents().events().empty());
}

TEST_CASE("not-a-number, infinities and -0 come back with their bits", "[events]") {
  std::vector<Event> events;
  for (const double value : {std::nan("7"), -std::nan(""), HUGE_VAL, -HUGE_VAL, -0.0, 0.0,
                             std::numeric_limits<double>::denorm_min(), -1.5}) {
    events.push_back({.time = Seconds(value), .kind = EventKind::task_computed, .value = value});
    events.push_back({.time = Seconds(1), .kind = EventKind::transfer, .detail = 255, .begin = Seconds(value)});
  }
  CHECK(kept(events, packed(events).events()) == static_cast<std::ptrdiff_t>(events.size()));
}

TEST_CASE("a log may be read in between and goes on", "[events]") {
  const std::vector<Event> events = lifelike(3);
  MemoryEventLog log;
  for (std::size_t i = 0; i < events.size(); ++i) {
    log.record(events[i]);
    if (i % 50 == 0) CHECK(log.events().size() == i + 1);
  }
  CHECK(kept(events, log.events()) == static_cast<std::ptrdiff_t>(events.size()));
}

TEST_CASE("a run's events take less than 20 bytes each", "[events]") {
  const std::vector<Event> events = lifelike(500);
  const PackedEvents log = packed(events);
  CHECK(kept(events, log.events()) == static_cast<std::ptrdiff_t>(events.size()));
  CHECK(static_cast<double>(log.bytes()) / static_cast<double>(events.size()) < 20);
}

// What lines between sites made of large messages.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "core/report/line_rates.hpp"

namespace dipaco::testing {
namespace {

constexpr SiteId kEast{0};
constexpr SiteId kWest{1};
constexpr SiteId kNorth{2};
constexpr std::uint64_t kBytes = 1'000'000;

/// Two nodes a site: 0 and 1 in the east, 2 and 3 in the west, 4 and 5 in the north.
RunFacts three_sites() {
  RunFacts facts;
  for (int k = 0; k < 6; ++k) facts.nodes.push_back({.id = NodeId{k}, .site = SiteId{k / 2}});
  return facts;
}

Event message(double begin, double end, int from, int to, std::uint64_t bytes = kBytes) {
  return {.time = Seconds(end),
          .kind = EventKind::transfer,
          .node = NodeId{to},
          .peer = NodeId{from},
          .begin = Seconds(begin),
          .bytes = bytes};
}

/// Messages from east to west, one after the other, each of which takes so many seconds; 10 s between their ends.
std::vector<Event> one_by_one(const std::vector<double>& seconds) {
  std::vector<Event> events;
  for (const double took : seconds) {
    const double end = 10 * static_cast<double>(events.size() + 1);
    events.push_back(message(end - took, end, 0, 2));
  }
  return events;
}

}  // namespace

TEST_CASE("a line's rate is of the time in which large messages were on their way", "[report]") {
  const auto rates = line_rates(three_sites(), one_by_one({1, 2, 2, 2, 4}));
  REQUIRE(rates.size() == 1);
  const LineRate& rate = rates.at({kEast, kWest});
  CHECK(rate.stretches == 5);
  CHECK(rate.rate == Approx(5 * 1e6 / 11));
  CHECK(rate.message.count() == Approx(11.0 / 5));
  CHECK(rate.spread == 0);  // the median of 0, 0, 0, ln 2, ln 2
  const auto uneven = line_rates(three_sites(), one_by_one({1, 2, 3, 4, 8}));
  CHECK(uneven.at({kEast, kWest}).spread == Approx(1.4826 * std::log(1.5)));
  CHECK(line_rates(three_sites(), one_by_one({1, 2, 2, 2})).empty());  // too few
  auto pairs = one_by_one({1, 2, 3, 4, 8});
  for (std::size_t k = 0; k < 10; k += 2) {
    Event half = pairs[k];
    half.bytes = pairs[k].bytes = kBytes / 2;
    pairs.insert(pairs.begin() + static_cast<std::ptrdiff_t>(k), half);
  }
  // Of two messages in a stretch each may differ more.
  CHECK(line_rates(three_sites(), pairs).at({kEast, kWest}).spread == Approx(1.4826 * std::log(1.5) * std::sqrt(2.0)));
}

TEST_CASE("messages that wait for each other are one stretch of a line", "[report]") {
  auto events = one_by_one({2, 2, 2, 2});
  for (const double begin : {50.0, 51.5, 50.0}) {  // the last one began with the first, and was let by
    events.push_back(message(begin, 52 + 2 * static_cast<double>(events.size() - 4), 1, 3));
  }
  const auto rates = line_rates(three_sites(), events);
  CHECK(rates.at({kEast, kWest}).stretches == 5);
  CHECK(rates.at({kEast, kWest}).rate == Approx(7e6 / (4 * 2 + 6)));
  CHECK(rates.at({kEast, kWest}).message.count() == Approx(2));
}

TEST_CASE("a message that came while its node computed says nothing of the line", "[report]") {
  auto events = one_by_one({2, 2, 2, 2, 2, 2});
  const auto at = [&](double time, EventKind kind, int node) {
    Event event{.time = Seconds(time), .kind = kind, .node = NodeId{node}};
    events.insert(std::ranges::upper_bound(events, event.time, {}, &Event::time), event);
  };
  at(57, EventKind::task_started, 2);
  at(59, EventKind::task_computed, 2);
  at(47, EventKind::evaluation_started, 3);  // another node
  for (Event& event : events) {
    if (event.time == Seconds(60)) event.bytes = kBytes / 10;
  }
  const auto rates = line_rates(three_sites(), events);
  CHECK(rates.at({kEast, kWest}).stretches == 5);
  CHECK(rates.at({kEast, kWest}).rate == Approx(1e6 / 2));
  at(57.5, EventKind::node_down, 2);
  events.erase(std::ranges::find(events, EventKind::task_computed, &Event::kind));
  CHECK(line_rates(three_sites(), events).at({kEast, kWest}).stretches == 6);
}

TEST_CASE("stretches count in which nothing else left the one site or came to the other", "[report]") {
  auto events = one_by_one({2, 2, 2, 2, 2});
  events.push_back(message(51, 53, 0, 2));
  events.push_back(message(52, 56, 1, 4));  // out of the same site
  events.push_back(message(61, 63, 0, 3));
  events.push_back(message(62, 66, 4, 2));  // into the same site
  events.push_back(message(71, 73, 0, 3));
  events.push_back(message(72, 76, 2, 0));     // the other way
  events.push_back(message(81, 83, 0, 1));     // within a site
  events.push_back(message(91, 99, 0, 2, 9));  // small
  const auto rates = line_rates(three_sites(), events);
  CHECK(rates.size() == 1);
  CHECK(rates.at({kEast, kWest}).stretches == 6);
  CHECK(rates.at({kEast, kWest}).rate == Approx(1e6 / 2));
  CHECK_FALSE(rates.contains({kEast, kNorth}));
}

}  // namespace dipaco::testing

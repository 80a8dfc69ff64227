#include <catch2/catch.hpp>

#include "core/report/accounts/intervals.hpp"

using namespace dipaco;

namespace {

Intervals set(std::vector<std::pair<double, double>> pairs) {
  std::vector<Interval> intervals;
  for (const auto& [begin, end] : pairs) intervals.push_back({Seconds(begin), Seconds(end)});
  return Intervals::merged(std::move(intervals));
}

std::vector<std::pair<double, double>> pairs(const Intervals& intervals) {
  std::vector<std::pair<double, double>> result;
  for (const Interval& one : intervals.parts()) result.emplace_back(one.begin.count(), one.end.count());
  return result;
}

using Pairs = std::vector<std::pair<double, double>>;

}  // namespace

TEST_CASE("overlapping, touching and empty intervals merge", "[report]") {
  CHECK(pairs(set({{5, 7}, {0, 2}, {1, 3}, {3, 4}, {9, 9}, {8, 7}})) == Pairs{{0, 4}, {5, 7}});
}

TEST_CASE("intersection and difference are disjoint and make up the whole", "[report]") {
  const Intervals a = set({{0, 10}, {20, 30}, {40, 41}});
  const Intervals b = set({{2, 3}, {5, 25}, {28, 50}});
  CHECK(pairs(a.within(b)) == Pairs{{2, 3}, {5, 10}, {20, 25}, {28, 30}, {40, 41}});
  CHECK(pairs(a.without(b)) == Pairs{{0, 2}, {3, 5}, {25, 28}});
  CHECK(a.within(b).total() + a.without(b).total() == a.total());
  CHECK(pairs(a.without(a)).empty());
}

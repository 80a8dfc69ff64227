#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "analysis/study/axis.hpp"
#include "analysis/study/bisection.hpp"
#include "analysis/study/condition.hpp"
#include "analysis/study/spread.hpp"
#include "analysis/study/sweep_tables.hpp"
#include "core/base/error.hpp"

namespace dipaco::analysis {
namespace {

using Catch::Matchers::Contains;

std::string values_of(const std::string& text) {
  std::string all;
  for (const std::string& value : parse_axis(text).values) all += value + " ";
  return all;
}

/// P(at least one of each side): how often the interval of the true median holds it, by counting.
double coverage(std::size_t count, std::size_t cut) {
  double below = 0;
  double binomial = std::exp2(-static_cast<double>(count));
  for (std::size_t k = 0; k <= cut; ++k) {
    below += binomial;
    binomial *= static_cast<double>(count - k) / static_cast<double>(k + 1);
  }
  return 1 - 2 * below;
}

}  // namespace

TEST_CASE("an axis has values, and ranges of numbers, rates, times and sizes", "[study]") {
  const Axis axis = parse_axis("link:wan.bandwidth=1Mbps..10Gbps*5");
  CHECK(axis.key == "link:wan.bandwidth");
  CHECK(values_of("a.b=1Mbps..10Gbps*5") == "1Mbps 10Mbps 100Mbps 1Gbps 10Gbps ");
  CHECK(values_of("a.b=1Mbps..10Gbps*7") == "1Mbps 4.642Mbps 21.54Mbps 100Mbps 464.2Mbps 2.154Gbps 10Gbps ");
  CHECK(values_of("a.b=100kBps..1MBps*2") == "800kbps 8Mbps ");
  CHECK(values_of("a.b=5ms..500ms*3") == "0.005s 0.05s 0.5s ");
  CHECK(values_of("a.b=10s..1min+25s") == "10s 35s 60s ");
  CHECK(values_of("a.b=1MB..4MB*3") == "1000000B 2000000B 4000000B ");
  CHECK(values_of("a.b=50..800*5") == "50 100 200 400 800 ");
  CHECK(values_of("a.b=1..4*9") == "1 2 3 4 ");  // whole numbers, once each
  CHECK(values_of("a.b=1..10+3") == "1 4 7 10 ");
  CHECK(values_of("a.b=0.1..0.4*3") == "0.1 0.2 0.4 ");
  CHECK(values_of("a.b=off, 1s..3s+1s,x=y") == "off 1s 2s 3s x=y ");
  for (const auto* wrong : {"a.b", "=1", "a.b="}) CHECK_THROWS_WITH(parse_axis(wrong), Contains("write KEY=VALUE"));
  for (const auto* wrong : {"1..10", "1..10*1", "10..1*3", "1Mbps..10*3", "1Mbps..10s*3", "0..10*3", "1..9+0",
                            "1s..9s+1", "..*2", "1..10*x"}) {
    CHECK_THROWS_WITH(parse_axis("a.b=" + std::string(wrong)), Contains("is no range; write FIRST..LAST*N"));
  }
  CHECK_THROWS_WITH(parse_axis("a.b=1,2,1"), Contains("it has 1 twice"));
}

TEST_CASE("a value in quotes keeps its commas, its dots and what stands for a quote", "[study]") {
  using Values = std::vector<std::string>;
  CHECK(parse_axis("routing.reshard_at=\"4,8\",\"2,4,6\",3").values == Values{"4,8", "2,4,6", "3"});
  CHECK(parse_axis("routing.reshard_at= \"4,8\" , 3 ,\" x\"").values == Values{"4,8", "3", " x"});
  CHECK(parse_axis("a.b=1,\"\",\"x\"\"y\"").values == Values{"1", "", "x\"y"});
  CHECK(parse_axis("routing.active_paths=\"1..8\",\"4,8\"").values == Values{"1..8", "4,8"});
  CHECK(parse_axis("a.b=5\",6").values == Values{"5\"", "6"});  // not at its begin: a letter like others
  CHECK(parse_axis("a.b=1,").values == Values{"1", ""});
  CHECK_THROWS_WITH(parse_axis("a.b=\"1,2"), Contains("a quote is not closed; write \"A,B\",\"C,D\""));
  CHECK_THROWS_WITH(parse_axis("a.b=\"1,2\"3"), Contains("behind \"1,2\" there is no comma"));
  CHECK_THROWS_WITH(parse_axis("a.b=\"1,2\",\"1,2\""), Contains("it has 1,2 twice"));
}

TEST_CASE("a grid has each choice once, the last axis changing first", "[study]") {
  CHECK(grid({}) == std::vector<std::vector<std::string>>{{}});
  CHECK(grid({{"a", {"1", "2"}}, {"b", {"x", "y"}}}) ==
        std::vector<std::vector<std::string>>{{"1", "x"}, {"1", "y"}, {"2", "x"}, {"2", "y"}});
}

TEST_CASE("a median's interval is the narrowest that holds it with 95 %", "[study]") {
  CHECK(spread_of({7}).median == 7);
  CHECK(spread_of({4, 1, 2, 3}).median == 2.5);
  CHECK(spread_of({5, 1, 4, 2, 3}).low == 1);  // of five no pair holds it so often: the least and the greatest
  CHECK(spread_of({5, 1, 4, 2, 3}).high == 5);
  for (std::size_t count = 6; count <= 200; ++count) {
    std::vector<double> values;
    for (std::size_t k = 0; k < count; ++k) values.push_back(static_cast<double>((k * 7919) % count));
    std::ranges::sort(values);
    const Spread spread = spread_of(values);
    const auto cut = static_cast<std::size_t>(std::ranges::find(values, spread.low) - values.begin());
    CHECK(spread.high == values[count - 1 - cut]);
    CHECK(coverage(count, cut) >= 0.95);
    CHECK(coverage(count, cut + 1) < 0.95);
  }
}

TEST_CASE("a condition names a figure, a sign and a bound with or without a unit", "[study]") {
  CHECK(parse_condition("goodput>=0.9").holds(0.9));
  CHECK(!parse_condition("goodput>0.9").holds(0.9));
  CHECK(parse_condition("simulated_s < 2h").bound == 7200);
  CHECK(!parse_condition("simulated_s<2h").holds(7200));
  CHECK(parse_condition("wan_bytes<=1GB").holds(1e9));
  for (const auto* wrong : {"goodput", "goodput=0.9", "goodput>", ">0.9", "goodput>=x", "goodput=>0.9", "a<>1"}) {
    CHECK_THROWS_WITH(parse_condition(wrong), Contains("is no condition; write FIGURE>=BOUND"));
  }
  const std::vector<SweptRun> runs{{.point = {}, .seed = 1, .summary = {{"goodput", 0.5}}, .error = ""},
                                   {.point = {}, .seed = 2, .summary = {{"goodput", 0.7}}, .error = ""}};
  CHECK(median_of(parse_condition("goodput>0"), runs) == 0.6);
  CHECK(!median_of(parse_condition("sites>0"), runs));
  CHECK(
      !median_of(parse_condition("goodput>0"), {runs.front(), {.point = {}, .seed = 3, .summary = {}, .error = "no"}}));
}

TEST_CASE("a bisection finds where a condition begins to hold for good, and what contradicts", "[study]") {
  const auto search = [](std::size_t values, std::size_t at_once, const auto& holds) {
    Bisection bisection(values);
    std::size_t tries = 0;
    for (auto next = bisection.next(at_once); !next.empty(); next = bisection.next(at_once)) {
      CHECK(next.size() <= at_once);
      for (const std::size_t value : next) bisection.tried(value, holds(value));
      tries += next.size();
    }
    return std::pair(bisection, tries);
  };
  for (const std::size_t values : {1U, 2U, 5U, 64U, 1000U}) {
    for (const std::size_t at_once : {1U, 3U}) {
      for (std::size_t first = 0; first <= values; first += 1 + values / 50) {
        const auto [bisection, tries] = search(values, at_once, [&](std::size_t value) { return value >= first; });
        CHECK(bisection.answer() == (first < values ? std::optional(first) : std::nullopt));
        CHECK(bisection.contradicting().empty());
        CHECK(tries <= 5 + 3 * static_cast<std::size_t>(std::ceil(std::log2(values + 1))));
      }
    }
  }
  // It holds at the very first, too, and in the end from 80 of 100 on.
  const auto [bisection, tries] = search(100, 1, [](std::size_t value) { return value >= 80 || value < 10; });
  CHECK(bisection.answer() == 80);
  CHECK(bisection.contradicting() == std::vector<std::size_t>{0});
}

TEST_CASE("a median's interval is right for very many values, too", "[study]") {
  std::vector<double> values(1150);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(k + 1);
  // 1150 / 2 -+ 1.96 x sqrt(1150) / 2
  CHECK(spread_of(values).low == Approx(542).margin(1));
  CHECK(spread_of(values).high == Approx(609).margin(1));
}

TEST_CASE("a sweep's tables have a row a run, and a row a point", "[study]") {
  const std::vector<Axis> axes{{"a.b", {"1", "2"}}, {"c.d", {"x,y"}}};
  const std::vector<SweptRun> runs{
      {.point = {"1", "x,y"}, .seed = 1, .summary = {{"goodput", 0.5}, {"sites", 4}, {"scenario", "s"}}, .error = ""},
      {.point = {"1", "x,y"}, .seed = 2, .summary = {{"goodput", 0.75}, {"sites", 4}, {"scenario", "s"}}, .error = ""},
      {.point = {"2", "x,y"}, .seed = 1, .summary = {}, .error = "no \"progress\",\nat all"}};
  CHECK(sweep_csv(axes, runs) ==
        "a.b,c.d,seed,error,goodput,scenario,sites\n"
        "1,\"x,y\",1,,0.5,s,4\n"
        "1,\"x,y\",2,,0.75,s,4\n"
        "2,\"x,y\",1,\"no \"\"progress\"\", at all\",,,\n");
  CHECK(points_csv(axes, runs) ==
        "a.b,c.d,runs,goodput,goodput_low,goodput_high,sites,sites_low,sites_high\n"
        "1,\"x,y\",2,0.625,0.5,0.75,4,4,4\n"
        "2,\"x,y\",0,,,,,,\n");
  const std::string text = as_text(points_table(axes, runs, {"goodput", "nothing"}));
  CHECK_THAT(text, Contains("1, \"x,y\""));  // the second value has a comma
  CHECK_THAT(text, Contains("62.5 %") && Contains("50.0 %") && Contains("75.0 %") && !Contains("nothing"));
  CHECK_THAT(as_text(points_table(axes, {runs.front()}, {"goodput", "sites"})), !Contains("median"));
}

}  // namespace dipaco::analysis

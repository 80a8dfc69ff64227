#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "core/base/text.hpp"
#include "core/report/report.hpp"
#include "tests/report/made_up_run.hpp"

using namespace dipaco;

namespace {

std::vector<std::string> screen(const testing::MadeUpRun& run) {
  std::stringstream out;
  print_summary(out, run.facts, run.events, "out/made_up");
  std::vector<std::string> lines;
  for (std::string line; std::getline(out, line);) lines.push_back(line);
  return lines;
}

void check_fits(const std::vector<std::string>& lines) {
  CHECK(lines.size() <= 15);
  for (const std::string& line : lines) {
    INFO(line);
    CHECK(line.size() <= 80);
  }
}

bool has(const std::vector<std::string>& lines, const std::string& part) {
  for (const std::string& line : lines) {
    if (line.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("the end of a run on the screen says where time and bytes went", "[report]") {
  const auto lines = screen(testing::made_up_run());
  check_fits(lines);
  CHECK(has(lines, "1 min 20 s simulated"));
  // 48, 42, 31 and 8 of 129 worker seconds
  CHECK(has(lines, "compute 37.2 %  transfer 32.6 %  wait 24.0 %  lost 6.2 %"));
  CHECK(has(lines, "37.2 % of the seconds provisioned; commit wait 14.7 %"));
  CHECK(has(lines, "4 completed, 1 requeued, 1 handed back; 4 of 44 inner steps lost"));
  CHECK(has(lines, "43.25; dense start 60.50; dense, as many steps 50.75"));
  CHECK(has(lines, "mean 6.2 %, peak 100.0 %"));
  CHECK(has(lines, "out/made_up"));
}

TEST_CASE("the screen shows pairs of sites where links are not known", "[report]") {
  auto run = testing::made_up_run();
  run.facts.links.clear();
  const auto lines = screen(run);
  check_fits(lines);
  CHECK(has(lines, "west to east"));
}

TEST_CASE("long names and many links still fit the screen", "[report]") {
  auto run = testing::made_up_run();
  run.facts.name = std::string(100, 'n');
  run.facts.outer_steps = 1'000'000;
  for (int i = 0; i < 50; ++i) {
    LinkFacts& link = run.facts.links.emplace_back();
    link.name = "link" + std::string(60, 'x');
    link.bandwidth = 1e9;
    link.bytes = Bytes{1'000'000'000'000};
  }
  check_fits(screen(run));
}

TEST_CASE("nothing on the screen is cut: what is too long goes on below", "[report]") {
  auto run = testing::made_up_run();
  run.facts.name = std::string(100, 'n') + "!";
  run.facts.more["network_model"] =
      std::string("CM02, latency x 1, bandwidth x 1, crosstraffic off, TCP-gamma 67108864");
  run.facts.more["advice"] = std::string("the model is worse than its dense start; ") + std::string(60, 'a') + " end";
  const auto lines = screen(run);
  std::string all;
  for (const std::string& line : lines) {
    CHECK(line.size() <= 80);
    CHECK(line.find("..") == std::string::npos);
    all += line;
  }
  CHECK(std::count(all.begin(), all.end(), 'n') > 100);
  CHECK(has(lines, "67108864"));
  CHECK(has(lines, "advice      the model is worse than its dense start;"));
  CHECK(has(lines, "aaa end"));
}

TEST_CASE("a real run's duration is told apart from what comes before and after it", "[report]") {
  auto run = testing::made_up_run();
  run.facts.simulated = false;
  run.facts.duration = Seconds(361);
  run.facts.more["wall_s"] = 653.0;
  CHECK(has(screen(run), "6 min 01 s, wall time 10 min 53 s: 4 min 52 s for preparation and"));
  run.facts.more["wall_s"] = 300.0;  // resumed: the duration is of all its parts
  CHECK(has(screen(run), "6 min 01 s, wall time 5 min 00 s"));
  CHECK_FALSE(has(screen(run), "preparation"));
}

TEST_CASE("an empty run has a screen too", "[report]") { check_fits(screen({})); }

TEST_CASE("seconds, bytes and counts read as a person writes them", "[report]") {
  CHECK(human_seconds(Seconds(0)) == "0 s");
  CHECK(human_seconds(Seconds(0.00123)) == "1.23 ms");
  CHECK(human_seconds(Seconds(12.34)) == "12.3 s");
  CHECK(human_seconds(Seconds(59.97)) == "1 min 00 s");
  CHECK(human_seconds(Seconds(245)) == "4 min 05 s");
  CHECK(human_seconds(Seconds(3599.9)) == "1 h 00 min");
  CHECK(human_seconds(Seconds(2 * 3600 + 14 * 60)) == "2 h 14 min");
  CHECK(human_seconds(Seconds(3 * 86400 + 4 * 3600)) == "3 d 04 h");
  CHECK(human_bytes(Bytes{512}) == "512 B");
  CHECK(human_bytes(Bytes{999'999}) == "1.00 MB");
  CHECK(human_bytes(Bytes{45'600'000'000}) == "45.6 GB");
  CHECK(human_count(-1234567) == "-1,234,567");
  CHECK(human_count(999) == "999");
}

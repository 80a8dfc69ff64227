// The timing example of HALoS (2506.04531): 16 workers in four regions, 98,304 inner steps in all. Its own arithmetic
// knows no latency, no sharing and no losses; a platform of FATPIPE links has none either.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/config/run_file.hpp"
#include "core/plan/plan.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

constexpr int kRegions = 4;
constexpr int kWorkers = 4;  ///< of a region
constexpr double kStep = 0.238391;
constexpr double kFastest = 0.907;
constexpr double kSteps = 98304;
constexpr double kBits = 70'426'624.0 * 32;
constexpr std::array<std::array<double, kWorkers>, kRegions> kSpeeds{{{0.232, 0.907, 0.828, 0.347},
                                                                      {0.574, 0.531, 0.722, 0.194},
                                                                      {0.852, 0.132, 0.896, 0.107},
                                                                      {0.827, 0.515, 0.527, 0.788}}};
/// Gbit/s between regions; inside one 100.
constexpr double kBetweenRegions[kRegions][kRegions] = {
    {100, 0.537, 0.935, 0.202}, {0.537, 100, 0.386, 0.117}, {0.935, 0.386, 100, 0.127}, {0.202, 0.117, 0.127, 100}};

enum class Rounding : bool { down, up };

double step_time(double speed) { return kStep * kFastest / speed; }
int steps_of(double speed, int most, Rounding rounding) {
  const double steps = speed / kFastest * most;
  return std::max(1, static_cast<int>(rounding == Rounding::up ? std::ceil(steps) : std::floor(steps)));
}

/// HALoS' arithmetic: each worker computes and moves two messages, again and again, until all have done kSteps.
/// @param server  region that the messages go to; -1: each region's own
double in_turn(int most, int server, Rounding rounding) {
  double steps_a_second = 0;
  for (int r = 0; r < kRegions; ++r) {
    const double push = kBits / (kBetweenRegions[r][server < 0 ? r : server] * 1e9);
    for (const double speed : kSpeeds[r]) {
      const int steps = steps_of(speed, most, rounding);
      steps_a_second += steps / (steps * step_time(speed) + 2 * push);
    }
  }
  return kSteps / steps_a_second;
}

/// The same of DiLoCo: all compute, and all-reduce over the best ring, whose least line is 0.127 Gbit/s.
/// @param steps  of each worker; empty: all do `most`
double in_rounds(int most, bool by_speed) {
  double steps = 0;
  double slowest = 0;
  for (const auto& region : kSpeeds) {
    for (const double speed : region) {
      const int its = by_speed ? steps_of(speed, most, Rounding::up) : most;
      steps += its;
      slowest = std::max(slowest, its * step_time(speed));
    }
  }
  const double ring = 2 * 15 * (kBits / 16) / 0.127e9;
  return std::ceil(kSteps / steps) * (slowest + ring);
}

/// What the platform is like beside speeds and lines.
struct World {
  std::string policy = "FATPIPE";  ///< of lines between regions
  std::string latency = "0ns";
};

/// Each region has a host that stores and executes. A task also puts its path's state there, three arrays: inside a
/// region lines carry 2.5 times as much, so that its three messages take as long as the example's two.
std::string platform(const RunPlan& plan, const World& world) {
  const double scale = static_cast<double>(plan.charged.size) * 32 / kBits;
  std::ostringstream xml;
  xml << R"(<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <config><prop id="network/model" value="CM02"/><prop id="network/crosstraffic" value="0"/></config>
  <zone id="wan" routing="Full">
    <prop id="run" value="halos.cfg"/>
    <prop id="coordinator" value="r0-hub"/>
)";
  for (int r = 0; r < kRegions; ++r) {
    const std::string region = "r" + std::to_string(r);
    xml << "<zone id=\"" << region << "\" routing=\"Floyd\"><prop id=\"workers\" value=\"" << region
        << "-[0-3]\"/><prop id=\"executors\" value=\"" << region << "-hub\"/><prop id=\"store\" value=\"" << region
        << "-hub\"/>\n";
    std::ostringstream routes;
    for (int w = 0; w <= kWorkers; ++w) {
      const std::string host = region + "-" + (w < kWorkers ? std::to_string(w) : "hub");
      const double speed = w < kWorkers ? plan.inner_step_cost.value / step_time(kSpeeds[r][w]) : 1e12;
      xml << "<host id=\"" << host << "\" speed=\"" << format_number(speed)
          << "f\"><prop id=\"mfu\" value=\"1\"/></host>\n";
      xml << "<link id=\"" << host << "-nic\" bandwidth=\"" << format_number(250e9 * scale)
          << "bps\" latency=\"0ns\" sharing_policy=\"FATPIPE\"/>\n";
      routes << "<route src=\"" << host << "\" dst=\"" << region << "-gateway\"><link_ctn id=\"" << host
             << "-nic\"/></route>\n";
    }
    xml << "<router id=\"" << region << "-gateway\"/>\n" << routes.str() << "</zone>\n";
  }
  std::ostringstream wan_routes;
  for (int a = 0; a < kRegions; ++a) {
    for (int b = a + 1; b < kRegions; ++b) {
      const std::string line = "r" + std::to_string(a) + "-r" + std::to_string(b);
      const bool duplex = world.policy == "SPLITDUPLEX";
      xml << "<link id=\"" << line << "\" bandwidth=\"" << format_number(kBetweenRegions[a][b] * 1e9 * scale)
          << "bps\" latency=\"" << world.latency << "\" sharing_policy=\"" << world.policy << "\"/>\n";
      for (const bool up : {true, false}) {
        if (!up && !duplex) continue;
        const auto [from, to] = up ? std::pair(a, b) : std::pair(b, a);
        wan_routes << "<zoneRoute src=\"r" << from << "\" dst=\"r" << to << "\" gw_src=\"r" << from
                   << "-gateway\" gw_dst=\"r" << to << "-gateway\" symmetrical=\"" << (duplex ? "NO" : "YES")
                   << "\"><link_ctn id=\"" << line << "\""
                   << (duplex ? (up ? " direction=\"UP\"" : " direction=\"DOWN\"") : "") << "/></zoneRoute>\n";
      }
    }
  }
  xml << wan_routes.str() << "</zone></platform>\n";
  return xml.str();
}

constexpr const char* kRunFile = R"([model]
blocks=2
hidden=64
heads=2
head_size=32
vocabulary=2048
sequence=128
[charge]
blocks=6
hidden=512
heads=8
head_size=64
vocabulary=100690
sequence=2048
batch=64
[topology]
levels=shared:16
[inner]
batch=4
dylu=on
[outer]
policy=asynchronous
[evaluate]
every=0
[run]
line_turns=off
[liveness]
deadline=30d
)";

/// When all workers together had done kSteps, by tasks.csv.
double time_of_steps(const std::string& file) {
  std::istringstream lines(read_text(file));
  std::string line;
  std::getline(lines, line);
  const auto names = split(line, ',');
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  std::multimap<double, double> ended;
  while (std::getline(lines, line)) {
    const auto cells = split(line, ',');
    const auto end = parse_number(cells[column("ended_s")]);
    if (end) ended.emplace(*end, parse_number(cells[column("useful_inner_steps")]).value_or(0));
  }
  double done = 0;
  for (const auto& [time, steps] : ended) {
    done += steps;
    if (done >= kSteps) return time;
  }
  return -1;
}

/// The scenario's files, and words that name it and set keys.
std::vector<std::string> words_for(const TemporaryFolder& folder, const World& world,
                                   const std::vector<std::string>& set) {
  const auto file = [&](const char* name) { return (folder.path() / name).string(); };
  write_file(file("halos.cfg"), kRunFile);
  write_file(file("halos.xml"), platform(make_plan(read_run_file(file("halos.cfg")), nullptr, nullptr), world));
  std::vector<std::string> words{file("halos.xml")};
  for (const std::string& key : set) words.insert(words.end(), {"--set", key});
  return words;
}

/// @param set  keys of the run
double simulated(const World& world, const std::vector<std::string>& set) {
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "out").string();
  std::vector<std::string> words = words_for(folder, world, set);
  words.insert(words.end(), {"--learn", "off", "--progress", "off", "--out", out});
  const Outcome ran = run_built("dipaco-sim", words);
  INFO(ran.error);
  REQUIRE(ran.status == 0);
  return time_of_steps(out + "/tasks.csv");
}

/// DiLoCo by a ring over all workers, of which each does up to 32 inner steps between two sums.
double by_ring(const char* shares) {
  const TemporaryFolder folder;
  std::vector<std::string> words = words_for(folder, {}, {"inner.steps=32", "outer.steps=192"});
  words.insert(words.begin(), "data-parallel");
  words.insert(words.end(), {"--all-reduce", "ring", "--gradients", "fp32", "--local-steps", "32", "--shares", shares,
                             "--format", "json"});
  const Outcome ran = run_built("dipaco-sim", words);
  INFO(ran.error);
  REQUIRE(ran.status == 0);
  return nlohmann::json::parse(ran.output).at("simulated_s");
}

using Keys = std::vector<std::string>;

/// Each path on its worker: more outer steps than the fastest does by then, so that none takes another's path.
const Keys kOnArrival{"inner.steps=32", "outer.steps=560", "run.place=stay"};
const Keys kHierarchical{"inner.steps=8", "outer.steps=1300", "outer.policy=hierarchical", "topology.regions=4"};
const Keys kInRounds{"inner.steps=32", "outer.steps=192", "outer.policy=synchronous", "inner.dylu=off"};

Keys both(Keys keys, const Keys& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

/// Each worker goes off for 100 s every 1,600 s, one after the other.
std::string losses() {
  std::string all = "faults.restart=";
  for (int turn = 0; turn < 12; ++turn) {
    for (int worker = 0; worker < kRegions * kWorkers; ++worker) {
      all += "worker:" + std::to_string(worker) + "@time=" + std::to_string(1600 * turn + 100 * worker + 50) +
             "s,for=100s;";
    }
  }
  all.pop_back();
  return all;
}

}  // namespace

TEST_CASE("HALoS' timing example comes out on a platform that nothing is shared on", "[sim][long]") {
  std::printf("by its arithmetic: DiLoCo %.0f s, with DyLU %.0f s, asynchronous %.0f s, hierarchical %.0f s\n",
              in_rounds(32, false), in_rounds(32, true), in_turn(32, 0, Rounding::up), in_turn(8, -1, Rounding::up));
  CHECK(in_rounds(32, false) == Approx(18804).epsilon(0.02));
  CHECK(in_rounds(32, true) == Approx(12623).epsilon(0.02));
  CHECK(in_turn(32, 0, Rounding::up) == Approx(4098).epsilon(0.02));
  CHECK(in_turn(8, -1, Rounding::up) == Approx(2434).epsilon(0.02));
  const double on_arrival = simulated({}, kOnArrival);
  const double hierarchical = simulated({}, kHierarchical);
  const double rounds = by_ring("equal");
  const double by_speed = by_ring("speed");
  std::printf("simulated: DiLoCo %.0f s, with DyLU %.0f s, asynchronous %.0f s, hierarchical %.0f s\n", rounds,
              by_speed, on_arrival, hierarchical);
  CHECK(rounds == Approx(18804).epsilon(0.02));
  CHECK(by_speed == Approx(12623).epsilon(0.02));
  CHECK(on_arrival == Approx(4098).epsilon(0.02));
  CHECK(hierarchical == Approx(2434).epsilon(0.02));
  // DyLU rounds down here, and up in the example: so much of the difference is that.
  CHECK(on_arrival == Approx(in_turn(32, 0, Rounding::down)).epsilon(0.002));
  CHECK(hierarchical == Approx(in_turn(8, -1, Rounding::down)).epsilon(0.002));
}

TEST_CASE("what is left of HALoS' lead where lines are shared, far, and machines come and go", "[sim][long]") {
  const World shared{.policy = "SPLITDUPLEX", .latency = "20ms"};
  const Keys turns{"run.line_turns=on"};
  const Keys lossy{"run.line_turns=on", losses()};
  const auto row = [](const char* what, const World& world, const Keys& keys) {
    const double rounds = simulated(world, both(kInRounds, keys));
    const double on_arrival = simulated(world, both(kOnArrival, keys));
    const double hierarchical = simulated(world, both(kHierarchical, keys));
    std::printf("%s: synchronous %.0f s, asynchronous %.0f s, hierarchical %.0f s\n", what, rounds, on_arrival,
                hierarchical);
    return std::array{rounds, on_arrival, hierarchical};
  };
  row("nothing shared", {}, {});
  const auto contended = row("shared lines, 20 ms", shared, turns);
  const auto lost = row("the same, and losses", shared, lossy);
  CHECK(contended[2] < contended[1]);
  CHECK(lost[2] < lost[1]);
}

}  // namespace dipaco::testing

// Data-parallel training on a simulated platform, against closed form.

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "backends/sim/data_parallel/checkpoints.hpp"
#include "backends/sim/data_parallel/training.hpp"
#include "backends/sim/engine/engine.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "tests/sim/simulated.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

constexpr double kNic = 1e9;    // bytes a second, 1 ms
constexpr double kLine = 50e6;  // 40 ms

/// Sites of so many hosts: s0-h0, s0-h1, ... Each has a full-duplex adapter; each two sites have a line each way.
/// "home" is at the first site.
std::string platform_of(const std::vector<int>& sites) {
  std::string xml =
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n<zone id=\"all\" routing=\"Full\">\n";
  struct Named {
    std::string name;
    int site = 0;
  };
  std::vector<Named> hosts{{"home", 0}};
  for (int s = 0; s < static_cast<int>(sites.size()); ++s) {
    for (int h = 0; h < sites[static_cast<std::size_t>(s)]; ++h)
      hosts.push_back({"s" + std::to_string(s) + "-h" + std::to_string(h), s});
  }
  std::string routes;
  for (const Named& host : hosts) {
    xml += "<host id=\"" + host.name + "\" speed=\"1Gf\"/>\n";
  }
  for (const Named& host : hosts)
    for (const char* way : {"up", "down"})
      xml += "<link id=\"" + host.name + "-" + way + "\" bandwidth=\"1GBps\" latency=\"1ms\"/>\n";
  for (std::size_t a = 0; a < sites.size(); ++a)
    for (std::size_t b = 0; b < sites.size(); ++b)
      if (a != b)
        xml += "<link id=\"line" + std::to_string(a) + "-" + std::to_string(b) +
               "\" bandwidth=\"50MBps\" latency=\"40ms\"/>\n";
  for (const Named& from : hosts) {
    for (const Named& to : hosts) {
      if (from.name == to.name) continue;
      xml += "<route src=\"" + from.name + "\" dst=\"" + to.name + "\" symmetrical=\"NO\"><link_ctn id=\"" + from.name +
             "-up\"/>";
      if (from.site != to.site)
        xml += "<link_ctn id=\"line" + std::to_string(from.site) + "-" + std::to_string(to.site) + "\"/>";
      xml += "<link_ctn id=\"" + to.name + "-down\"/></route>\n";
    }
  }
  return xml + "</zone>\n</platform>\n";
}

/// All hosts but home work, at 1 Gflop/s each; home coordinates and keeps checkpoints.
DataParallelReport train(const std::vector<int>& sites, const DataParallelOptions& options,
                         const std::function<void(Placement&)>& change = {}) {
  const TemporaryFolder folder;
  write_file(folder.path() / "platform.xml", platform_of(sites));
  const ScenarioFile file(folder.path() / "platform.xml");
  const SimEngine engine(file, {}, kExact);
  Placement placement;
  const auto add = [&](Role role, SiteId site, const std::string& host) {
    const NodeId id{static_cast<int>(placement.nodes.size())};
    placement.nodes.push_back({.id = id, .role = role, .site = site, .host = host, .speed = {1e9}});
  };
  add(Role::coordinator, SiteId{0}, "home");
  add(Role::store, SiteId{0}, "home");
  for (int s = 0; s < static_cast<int>(sites.size()); ++s) {
    placement.sites.push_back("s" + std::to_string(s));
    for (int h = 0; h < sites[static_cast<std::size_t>(s)]; ++h)
      add(Role::worker, SiteId{s}, "s" + std::to_string(s) + "-h" + std::to_string(h));
  }
  if (change) change(placement);
  return train_data_parallel(placement, options);
}

/// A step computes 1 s on so many ranks.
DataParallelOptions options_for(int ranks, std::int64_t steps) {
  return {.overlap = false,
          .gradients = Bytes{120'000'000},
          .state = Bytes{720'000'000},
          .step = Flops{1e9 * ranks},
          .steps = steps,
          .deadline = Seconds(86400),
          .stride = Seconds(10)};
}

std::string told(const DataParallelReport& report) {
  return format_number(report.first_step.all_reduce.count()) + " " + format_number(report.duration.count());
}

/// The two numbers of told().
std::pair<double, double> all_reduce_and_duration(const std::vector<int>& sites, AllReduce kind) {
  int ranks = 0;
  for (const int site : sites) ranks += site;
  const std::string text = in_child([&] {
    DataParallelOptions options = options_for(ranks, 10);
    options.all_reduce = kind;
    return told(train(sites, options));
  });
  INFO(text);
  const auto cells = split(text, ' ');
  REQUIRE(cells.size() == 2);
  return {std::stod(cells[0]), std::stod(cells[1])};
}

/// A machine fails after exponential times of this mean and is repaired in 60 s.
void fail_now_and_then(Placement& placement, Seconds mean) {
  std::uint64_t number = 0;
  for (const PlacedNode& node : placement.with(Role::worker)) {
    placement.absences.push_back({.hosts = {node.host},
                                  .times = {.there = {.kind = TimeLaw::Kind::exponential, .scale = mean},
                                            .away = {.kind = TimeLaw::Kind::fixed, .scale = Seconds(60)},
                                            .what = {},
                                            .number = number++},
                                  .notice = {},
                                  .reclaimed = false});
  }
}

}  // namespace

TEST_CASE("a ring takes 2 (n - 1) (latency + S / n / slowest line)", "[sim]") {
  const double size = 120e6;
  const auto [one_site, ten_steps] = all_reduce_and_duration({4}, AllReduce::ring);
  CHECK(one_site == Approx(6 * (0.002 + size / 4 / kNic)).epsilon(0.01));
  CHECK(ten_steps == Approx(10 * (1 + one_site)).epsilon(1e-6));
  const auto [three_sites, duration] = all_reduce_and_duration({2, 2, 2}, AllReduce::ring);
  CHECK(three_sites == Approx(10 * (0.042 + size / 6 / kLine)).epsilon(0.01));
}

TEST_CASE("a hierarchy takes 2 (g - 1) times S / g within sites and 2 (s - 1) times S / s on each site's line",
          "[sim]") {
  const double size = 120e6;
  const auto [takes, duration] = all_reduce_and_duration({4, 4, 4}, AllReduce::hierarchical);
  CHECK(takes == Approx(2 * 3 * (0.002 + size / 4 / kNic) + 2 * 2 * (0.042 + size / 3 / kLine)).epsilon(0.01));
  CHECK(duration == Approx(10 * (1 + takes)).epsilon(1e-6));
}

TEST_CASE("a job that shrinks loses the step under way, and gives who comes back its state", "[sim]") {
  const std::string text = in_child([] {
    DataParallelOptions options = options_for(4, 100);
    options.gradients = Bytes{64};  // sums take their latencies alone
    const DataParallelReport report = train({4}, options, [](Placement& placement) {
      placement.outages.push_back({"s0-h3", Seconds(10.5), Seconds(20.25)});
    });
    return std::to_string(report.losses) + " " + std::to_string(report.steps_lost) + " " +
           format_fixed(report.recovering.count(), 2) + " " + format_fixed(report.duration.count(), 1);
  });
  // Ten steps of 1.012 s with four; at 10.5 s one goes. Steps of 1.341 s with three: eight until it is there again, at
  // 21.23 s. Its state takes 0.72 s. The other 82 take 82.98 s.
  CHECK(text == "1 1 0.72 104.9");
}

TEST_CASE("who comes while another one gets the state gets it afterwards", "[sim]") {
  const std::string text = in_child([] {
    DataParallelOptions options = options_for(3, 20);
    options.gradients = Bytes{64};
    const DataParallelReport report = train({3}, options, [](Placement& placement) {
      placement.outages.push_back({"s0-h1", Seconds(5), Seconds(10)});
      placement.outages.push_back({"s0-h2", Seconds(5), Seconds(11.5)});
    });
    return std::to_string(report.losses) + " " + format_fixed(report.recovering.count(), 2);
  });
  // The first one gets it from 11.02 s on, at the end of a step of 3 s, until 11.74 s.
  CHECK(text == "1 1.44");
}

TEST_CASE("a job that restarts waits for all machines and begins again at its last checkpoint", "[sim]") {
  const std::string text = in_child([] {
    DataParallelOptions options = options_for(4, 20);
    options.gradients = Bytes{64};
    options.on_loss = OnLoss::restart;
    options.interval = Seconds(4);
    const DataParallelReport report = train({4}, options, [](Placement& placement) {
      placement.outages.push_back({"s0-h3", Seconds(12), Seconds(32)});
    });
    return std::to_string(report.losses) + " " + std::to_string(report.steps_lost) + " " +
           std::to_string(report.checkpoints) + " " + format_fixed(report.waiting.count(), 1) + " " +
           format_fixed(report.recovering.count(), 2) + " " + format_fixed(report.duration.count(), 1);
  });
  // Four steps of 1.012 s and a checkpoint of 0.722 s, twice: 9.54 s. Two steps more, and one under way, are lost. All
  // are there again at 32 s; the state takes 0.722 s to one, and 2.16 s from there to three. 12 steps, two checkpoints.
  CHECK(text == "1 3 4 20.0 2.88 48.5");
}

TEST_CASE("a job all of whose machines go begins again at its last checkpoint once one is there", "[sim]") {
  const std::string text = in_child([] {
    DataParallelOptions options = options_for(2, 20);
    options.gradients = Bytes{64};
    options.interval = Seconds(4);
    const DataParallelReport report = train({2}, options, [](Placement& placement) {
      placement.outages.push_back({"s0-h0", Seconds(8), Seconds(30)});
      placement.outages.push_back({"s0-h1", Seconds(8), Seconds(100)});
    });
    Seconds busy{};
    for (const auto& [host, times] : report.busy) busy += Intervals::merged(times).total();
    return std::to_string(report.losses) + " " + std::to_string(report.steps_lost) + " " +
           std::to_string(report.checkpoints) + " " + format_fixed(report.waiting.count(), 1) + " " +
           format_fixed(busy.count(), 0) + " " + format_fixed(report.duration.count(), 1);
  });
  // Four steps of 1.004 s with both and a checkpoint of 0.722 s; three more, and one is under way at 8 s. From
  // 30 s on, 16 steps of 2 s with one, and seven checkpoints. Both compute for 7 s: 14 + 32 s.
  CHECK(text == "1 4 8 22.0 46 67.8");
}

TEST_CASE("a job whose machines are never all there is given up", "[sim]") {
  const std::string text = in_child([]() -> std::string {
    DataParallelOptions options = options_for(4, 20);
    options.on_loss = OnLoss::restart;
    try {
      train({4}, options, [](Placement& placement) {
        placement.outages.push_back({"s0-h3", Seconds(5), std::nullopt});
      });
    } catch (const RunError& error) {
      return std::to_string(error.exit_status()) + " " + error.what();
    }
    return "it ended";
  });
  INFO(text);
  CHECK(text.starts_with("4 no step in 1 d 00 h: 3 of 4 machines are there, and the job needs all"));
}

TEST_CASE("a job that loses as much as it does again and again is given up", "[sim]") {
  const std::string text = in_child([]() -> std::string {
    DataParallelOptions options = options_for(4, 2000);
    options.gradients = Bytes{64};
    options.on_loss = OnLoss::restart;
    options.interval = Seconds(1000);
    options.deadline = Seconds(20'000);
    try {
      train({4}, options, [](Placement& placement) { fail_now_and_then(placement, Seconds(100)); });
    } catch (const RunError& error) {
      return std::to_string(error.exit_status()) + " " + error.what();
    }
    return "it ended";
  });
  INFO(text);
  CHECK(text.starts_with("4 no step beyond step"));
}

TEST_CASE("under exponential failures a job takes what Daly's formula says, and least near his interval", "[sim]") {
  // Four machines of 2,000 s each: 500 s between failures of the job.
  constexpr int kSeeds = 60;
  constexpr std::int64_t kSteps = 3000;
  const Seconds between(500);
  const auto mean_of = [&](Seconds interval) {
    std::vector<double> durations;
    for (const std::string& text : in_children(kSeeds, [&](std::size_t seed) {
           DataParallelOptions options = options_for(4, kSteps);
           options.gradients = Bytes{64};
           options.on_loss = OnLoss::restart;
           options.state = Bytes{5'000'000'000};  // 5 s to write
           options.interval = interval;
           options.seed = seed + 1;
           return told(train({4}, options, [](Placement& p) { fail_now_and_then(p, Seconds(2000)); }));
         }))
      durations.push_back(std::stod(split(text, ' ').at(1)));
    double sum = 0;
    double squares = 0;
    for (const double each : durations) sum += each;
    for (const double each : durations) squares += (each - sum / kSeeds) * (each - sum / kSeeds);
    return std::pair(sum / kSeeds, 1.96 * std::sqrt(squares / (kSeeds - 1) / kSeeds));
  };
  const Seconds write(5.002);
  const Seconds step(1.012);
  const Seconds daly = daly_interval(write, between);
  const auto [best, deviation] = mean_of(daly);
  // From a failure on: 60 s, in which another machine may fail, and the state's 20 s.
  const Seconds restart(60 + 20);
  const double expected = expected_time(static_cast<double>(kSteps) * step, daly, write, restart, between).count();
  INFO(best << " of " << expected << " expected, +- " << deviation);
  CHECK(best == Approx(expected).margin(deviation + 0.02 * expected));
  CHECK(best < mean_of(daly / 5).first);
  CHECK(best < mean_of(5 * daly).first);
}

}  // namespace dipaco::testing

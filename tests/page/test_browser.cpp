#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "analysis/page/pages.hpp"
#include "analysis/study/sweep_tables.hpp"
#include "core/base/file.hpp"
#include "tests/page/browser.hpp"
#include "tests/report/made_up_run.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace dipaco;
using namespace dipaco::testing;

namespace {

constexpr std::size_t kMostBytes = 2'000'000;
constexpr int kMostMilliseconds = 2'000;
constexpr int kLeastColoured = 150;  // pixels: axes and grid have none, the shortest curve has more

std::filesystem::path run_folder(const std::filesystem::path& folder, const std::string& evil = "") {
  auto run = made_up_run();
  for (NodeFacts& node : run.facts.nodes) {
    node.host += evil;
    run.facts.costs.machines.push_back(
        {.name = node.host, .site = node.site, .there = {{Seconds(0), Seconds(80)}}, .price = UsdPerHour{36}});
  }
  for (LinkFacts& link : run.facts.links) link.over_time = {.stretch = Seconds(5), .bytes = {0, 2000, 4000, 0, 1000}};
  run.facts.more["validation_perplexity_outer_step_1"] = 50.0;
  write_outputs(run.facts, run.events, {.folder = folder});
  return folder;
}

/// What a page turned out to be.
struct Sound {
  std::multiset<std::string> figures;
  int choices = 0;
  std::string told;  ///< what its charts say of what lies in their middle
};

/// Opens the page of these folders and checks what holds of each page.
Sound sound(const std::vector<std::filesystem::path>& folders) {
  const TemporaryFolder place;
  std::vector<std::string> names(folders.begin(), folders.end());
  const auto file = place.path() / "page.html";
  const std::string page = analysis::page_of(names);
  CHECK(page.size() < kMostBytes);
  write_file(file, std::string_view(page));
  Opened opened = open_in_browser(file);
  // Other processes may have had the processors: a page that can be opened so fast is, one time of three.
  int milliseconds = opened.self_test["milliseconds"].get<int>();
  for (int again = 0; again < 2 && milliseconds >= kMostMilliseconds; ++again) {
    opened = open_in_browser(file);
    milliseconds = opened.self_test["milliseconds"].get<int>();
  }
  const auto& told = opened.self_test;
  INFO(told.dump());
  CHECK(opened.console.empty());
  CHECK(told["problems"].empty());
  CHECK(told["requests"] == 0);
  CHECK(milliseconds < kMostMilliseconds);
  CHECK(told["scrolls"] == false);
  CHECK(told["headings"].get<int>() > 0);
  CHECK(told["unsorted"].empty());
  Sound result{.choices = told["choices"].get<int>(), .told = told["told"].dump()};
  for (const auto& canvas : told["canvases"]) {
    CHECK(canvas["coloured"].get<int>() > kLeastColoured);
    result.figures.insert(canvas["figure"].get<std::string>());
  }
  return result;
}

/// 1,000 runs with 120 figures that all differ, as many as a summary has and more.
std::filesystem::path large_sweep(const std::filesystem::path& folder, int seeds) {
  std::vector<analysis::Axis> axes{{"link:a.bandwidth", {}}, {"inner.steps", {}}};
  for (int k = 0; k < 25; ++k) axes[0].values.push_back(std::to_string(10 + k * k) + "Mbps");
  for (int k = 0; k < 40 / seeds; ++k) axes[1].values.push_back(std::to_string(50 + 10 * k));
  std::vector<analysis::SweptRun> runs;
  for (const auto& point : analysis::grid(axes)) {
    for (int seed = 1; seed <= seeds; ++seed) {
      nlohmann::json summary;
      const double k = static_cast<double>(runs.size());
      for (int figure = 0; figure < 116; ++figure) {
        summary["bytes_kind_" + std::to_string(figure)] = std::exp(std::sin(k * (figure + 1))) * 1e9;
      }
      summary["simulated_s"] = 3000 + 1000 * std::sin(k);
      summary["goodput"] = 0.5 + 0.4 * std::cos(k);
      summary["usd"] = 100 + 50 * std::cos(k / 3);
      summary["wan_bytes"] = 1e10 + 1e7 * k;
      runs.push_back({.point = point, .seed = static_cast<std::uint64_t>(seed), .summary = summary, .error = ""});
    }
  }
  REQUIRE(runs.size() == 1000);
  write_file(folder / "sweep.csv", std::string_view(analysis::sweep_csv(axes, runs)));
  return folder;
}

}  // namespace

TEST_CASE("the page of a run draws each of its charts, without an error and without a request", "[page]") {
  const TemporaryFolder folder;
  const Sound page = sound({run_folder(folder.path())});
  CHECK(page.figures == std::multiset<std::string>{"activity", "bytes_over_time", "link_use", "loss_over_bytes",
                                                   "loss_over_time", "loss_over_usd", "perplexity_over_bytes",
                                                   "perplexity_over_time", "perplexity_over_usd", "site_rates",
                                                   "timeline", "usd_over_time"});
  // The middle row of the timeline, below the critical path.
  CHECK(page.told.find("3 e3: ") != std::string::npos);
}

TEST_CASE("a host's name that would end the script is only a name", "[page]") {
  const TemporaryFolder folder;
  const Sound page = sound({run_folder(folder.path(), "</script><b>")});
  CHECK(page.figures.contains("timeline"));
  CHECK(page.told.find("3 e3</script><b>: ") != std::string::npos);
}

TEST_CASE("the page of three runs draws their curves over one another", "[page]") {
  const TemporaryFolder folder;
  const auto figures =
      sound({run_folder(folder.path() / "a"), run_folder(folder.path() / "b"), run_folder(folder.path() / "c")})
          .figures;
  CHECK(figures.contains("loss_over_time"));
  CHECK(figures.contains("perplexity_over_usd"));
  CHECK(figures.size() == 8);
}

TEST_CASE("a sweep of 1,000 points has a small page that opens at once", "[page]") {
  const TemporaryFolder folder;
  const Sound page = sound({large_sweep(folder.path(), 1)});
  // over, a curve for each, without one the value of the other axis, below also; figure, across, up
  CHECK(page.choices == 7);
  CHECK(page.told.find("link:a.bandwidth=") != std::string::npos);
  CHECK(page.figures == std::multiset<std::string>{"curves", "curves", "curves", "curves", "curves", "front", "heat"});
}

TEST_CASE("a sweep of 200 points with five seeds each, too", "[page]") {
  const TemporaryFolder folder;
  CHECK(sound({large_sweep(folder.path(), 5)}).figures.contains("heat"));
}

TEST_CASE("the program writes the page, and uPlot is the one that its README names", "[page]") {
  const TemporaryFolder folder;
  const std::string page =
      said_by(DIPACO_BINARY_DIR "/bin/dipaco-report " + run_folder(folder.path()).string() + " --format html");
  const std::vector<std::string> names{folder.path().string()};
  CHECK(page == analysis::page_of(names));
  const std::string vendor = DIPACO_SOURCE_DIR "/analysis/page/vendor";
  const std::string readme = read_text(vendor + "/README.md");
  for (const char* const file : {"uplot.iife.min.js", "uplot.min.css"}) {
    const std::string sum = said_by("sha256sum " + vendor + "/" + file).substr(0, 64);
    CHECK(readme.find("| " + std::string(file) + " | " + sum + " |") != std::string::npos);
    CHECK(page.find(read_text(vendor + "/" + file)) != std::string::npos);
  }
}

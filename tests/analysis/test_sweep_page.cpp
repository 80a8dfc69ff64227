#include <catch2/catch.hpp>

#include "analysis/page/pages.hpp"
#include "analysis/page/sweep_page.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace dipaco;
using namespace dipaco::analysis;

namespace {

const std::vector<Axis> kTwoAxes{{"link:a.bandwidth", {"10Mbps", "1Gbps"}}, {"inner.steps", {"50", "100", "200"}}};

SweptRun swept(const std::vector<std::string>& point, std::uint64_t seed, nlohmann::json summary) {
  return {.point = point, .seed = seed, .summary = std::move(summary), .error = ""};
}

/// Each point with two seeds: twice as long at 10 Mbit/s, and dearer the longer the task.
std::vector<SweptRun> two_axes_runs() {
  std::vector<SweptRun> runs;
  for (const auto& point : grid(kTwoAxes)) {
    const double steps = std::stod(point[1]);
    for (const std::uint64_t seed : {1U, 2U}) {
      const double length = (point[0] == "10Mbps" ? 2000 : 1000) + 100 * static_cast<double>(seed) - steps;
      runs.push_back(swept(point, seed, {{"simulated_s", length}, {"usd", 10 + steps}, {"sites", 3}}));
    }
  }
  return runs;
}

nlohmann::json data_of(const std::string& page) {
  const auto begin = page.find("id=page-data>") + 13;
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

bool has_text(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a sweep is read back as it was written", "[page]") {
  const TemporaryFolder folder;
  auto runs = two_axes_runs();
  runs[3].summary = nullptr;
  runs[3].error = "no \"place\", none";
  write_file(folder.path() / "sweep.csv", std::string_view(sweep_csv(kTwoAxes, runs)));
  const SweepFile sweep = read_sweep(folder.path());
  REQUIRE(sweep.axes.size() == 2);
  CHECK(sweep.axes[0].key == "link:a.bandwidth");
  CHECK(sweep.axes[1].values == kTwoAxes[1].values);
  REQUIRE(sweep.runs.size() == runs.size());
  CHECK(sweep.runs[3].error == runs[3].error);
  CHECK(sweep.runs[3].summary.is_null());
  CHECK(sweep.runs[4].summary["simulated_s"] == runs[4].summary["simulated_s"]);
  CHECK(sweep.runs[5].seed == 2);
}

TEST_CASE("a damaged sweep is named with its line", "[page]") {
  const TemporaryFolder folder;
  const auto with = [&](std::string_view text) {
    write_file(folder.path() / "sweep.csv", text);
    try {
      read_sweep(folder.path());
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(has_text(with("a,b\n1,2\n"), "sweep.csv:1: no columns seed and error"));
  CHECK(has_text(with("a,seed,error\n"), "sweep.csv:1: no run in it"));
  CHECK(has_text(with("a,seed,error\n1,2\n"), "sweep.csv:2: 2 cells, not 3"));
  CHECK(has_text(with("a,seed,error\n1,2,\n1,x,\n"), "sweep.csv:3: column seed has \"x\""));
}

TEST_CASE("a sweep's page has medians with intervals, numbers of its axes, and the figures that differ", "[page]") {
  const TemporaryFolder folder;
  write_file(folder.path() / "sweep.csv", std::string_view(sweep_csv(kTwoAxes, two_axes_runs())));
  const std::vector<std::string> one{folder.path().string()};
  const std::string page = page_of(one);
  const auto sweep = data_of(page)["sweep"];
  CHECK(sweep["axes"][0]["numbers"] == nlohmann::json({1250000, 125000000}));
  CHECK(sweep["axes"][1]["values"] == nlohmann::json({"50", "100", "200"}));
  CHECK(sweep["points"] == nlohmann::json({{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}}));
  REQUIRE(sweep["figures"].size() == 2);  // not sites, which is the same everywhere
  CHECK(sweep["figures"][0]["key"] == "simulated_s");
  CHECK(sweep["figures"][0]["unit"] == "seconds");
  CHECK(sweep["figures"][0]["median"][0] == 2100);
  CHECK(sweep["figures"][0]["low"][0] == 2050);
  CHECK(sweep["figures"][0]["high"][0] == 2150);
  // 1 Gbit/s with 200, 100 and 50 steps: each is shorter and dearer than the next.
  CHECK(sweep["front"]["points"] == nlohmann::json({5, 4, 3}));
  CHECK(sweep["front"]["cost"] == "usd");
  CHECK(has_text(page, "12 runs of 6 points. The page has 2 figures that differ between points, of 3 in all"));
  CHECK(has_text(page, "id=\"heat\""));
}

TEST_CASE("without prices the front is of duration and bytes between sites - without both there is none", "[page]") {
  std::vector<SweptRun> runs{swept({"1"}, 1, {{"simulated_s", 5}, {"wan_bytes", 1}}),
                             swept({"2"}, 1, {{"simulated_s", 4}, {"wan_bytes", 2}}),
                             swept({"3"}, 1, {{"simulated_s", 6}, {"wan_bytes", 3}})};
  const auto points = points_of(runs);
  const SweepFront front = front_of(points, figures_of(runs));
  CHECK(front.cost == "wan_bytes");
  CHECK(front.front == std::vector<std::size_t>{1, 0});
  CHECK(front_of(points, {"simulated_s"}).front.empty());
}

TEST_CASE("runs of a sweep that did not end are told, and leave gaps", "[page]") {
  const TemporaryFolder folder;
  auto runs = two_axes_runs();
  for (const std::size_t k : {0U, 1U}) {
    runs[k].summary = nullptr;
    runs[k].error = "cannot be <placed>";
  }
  write_file(folder.path() / "sweep.csv", std::string_view(sweep_csv(kTwoAxes, runs)));
  const std::string page = sweep_page("s", read_sweep(folder.path()));
  CHECK(has_text(page, "Runs that did not end"));
  CHECK(has_text(page, "cannot be &lt;placed&gt;"));
  const auto figures = data_of(page)["sweep"]["figures"];
  CHECK(figures[0]["median"][0].is_null());
  CHECK(figures.size() == 2);  // sites is the same wherever it is known
}

TEST_CASE("a sweep of seeds alone, and one beside others", "[page]") {
  const TemporaryFolder folder;
  const std::vector<SweptRun> runs{swept({}, 1, {{"simulated_s", 5}}), swept({}, 2, {{"simulated_s", 7}})};
  write_file(folder.path() / "sweep.csv", std::string_view(sweep_csv({}, runs)));
  CHECK(is_sweep(folder.path()));
  const std::vector<std::string> one{folder.path().string()};
  CHECK(has_text(page_of(one), "2 runs of 1 point."));
  const std::vector<std::string> two{one[0], one[0]};
  CHECK_THROWS_AS(page_of(two), ConfigError);
  CHECK_THROWS_WITH(page_of(two), Catch::Matchers::Contains("is a sweep, which has a page of its own; name it alone"));
}

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "analysis/figures/drawing.hpp"
#include "analysis/figures/gnuplot_script.hpp"
#include "analysis/figures/markdown.hpp"
#include "analysis/figures/sweep_pictures.hpp"
#include "analysis/page/sweep_file.hpp"
#include "analysis/study/points.hpp"
#include "analysis/study/sweep_tables.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "tests/report/made_up_run.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace dipaco;
using namespace dipaco::analysis;
using Catch::Matchers::Contains;

namespace {

Picture hours_picture() {
  Picture picture{.chart = {.id = "hours", .title = "It's `rm` $HOME \"so\"\nfar"}};
  picture.chart.x = {"time", Unit::seconds};
  picture.chart.y = {"sent", Unit::bytes};
  picture.chart.series = {{.name = "a_b{c}", .colour = 1, .x = {0, 7200, 14400}, .y = {0, 1e9, 2.5e9}}};
  return picture;
}

std::size_t times_in(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// PATH without gnuplot for as long as it lives.
class EmptyPath {
 public:
  EmptyPath() : before_(std::getenv("PATH")) { ::setenv("PATH", "/nowhere", 1); }
  EmptyPath(const EmptyPath&) = delete;
  EmptyPath& operator=(const EmptyPath&) = delete;
  ~EmptyPath() { ::setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

}  // namespace

TEST_CASE("a picture has its axes in units that a person reads, and no text of it is a command", "[figures]") {
  const std::string script = gnuplot_script(hours_picture());
  CHECK_THAT(script, Contains("set title 'It''s `rm` $HOME \"so\" far'\n"));
  CHECK_THAT(script, Contains("set xlabel 'time, in h'\nset ylabel 'sent, in GB'\n"));
  CHECK_THAT(script, Contains("$data0 << END\n0 0\n2 1\n4 2.5\nEND\n"));
  CHECK_THAT(script, Contains("title 'a_b{c}'"));
}

TEST_CASE("what is stacked lies on one another, the highest drawn first", "[figures]") {
  Picture picture = hours_picture();
  picture.chart.kind = ChartKind::stacked;
  picture.chart.series.push_back({.name = "above", .colour = 2, .x = {0, 7200, 14400}, .y = {1e9, 1e9, 1e9}});
  const std::string script = gnuplot_script(picture);
  CHECK_THAT(script, Contains("$data1 << END\n0 1\n2 2\n4 3.5\nEND\n"));
  CHECK(script.find("$data1 using") < script.find("$data0 using"));
}

TEST_CASE("gnuplot draws what it is given, whatever names are in it", "[figures]") {
  const TemporaryFolder folder;
  const std::vector<Picture> pictures{hours_picture()};
  draw(pictures, folder.path() / "figures");
  const std::string svg = read_text(folder.path() / "figures" / "hours.svg");
  CHECK_THAT(svg, Contains("It's `rm` $HOME &quot;so&quot; far") || Contains("It's `rm` $HOME \"so\" far"));
  CHECK_THAT(svg, Contains("a_b{c}"));
  CHECK_THAT(svg, Contains("#d55e00") || Contains("213,  94,   0"));
}

TEST_CASE("without gnuplot the program says what to install", "[figures]") {
  const TemporaryFolder folder;
  const std::vector<Picture> pictures{hours_picture()};
  const EmptyPath none;
  CHECK_THROWS_WITH(draw(pictures, folder.path()), Contains("gnuplot-nox"));
}

TEST_CASE("gnuplot that fails is an error", "[figures]") {
  const TemporaryFolder folder;
  const std::vector<Picture> pictures{hours_picture()};
  std::filesystem::create_directory(folder.path() / "hours.svg");
  CHECK_THROWS_AS(draw(pictures, folder.path()), DataError);
}

TEST_CASE("a run's Markdown has its tables, and pictures only where a folder is named", "[figures]") {
  const TemporaryFolder folder;
  auto run = testing::made_up_run();
  run.facts.links[0].over_time = {.stretch = Seconds(40), .bytes = {1000, 4000}};
  write_outputs(run.facts, run.events, {.folder = folder.path()});
  const std::vector<std::string> one{folder.path().string()};
  const PicturedReport plain = markdown_report(one, "");
  CHECK(plain.pictures.empty());
  CHECK_THAT(plain.text, !Contains("!["));
  const PicturedReport pictured = markdown_report(one, "figures");
  CHECK(pictured.text.starts_with(plain.text));
  CHECK(times_in(pictured.text, "![") == pictured.pictures.size());
  CHECK_THAT(pictured.text, Contains("![How full the busiest network links are, over time](<figures/link_use.svg>)"));
  CHECK_THAT(pictured.text, Contains("(<figures/activity.svg>)"));
  CHECK_THAT(markdown_report(one, "a <b>").text, Contains("(<a %3Cb%3E/activity.svg>)"));
  const std::vector<std::string> two{folder.path().string(), folder.path().string()};
  CHECK_THAT(markdown_report(two, "figures").text, !Contains("activity.svg") && Contains("loss_over_time.svg"));
  draw(pictured.pictures, folder.path() / "figures");
  for (const Picture& picture : pictured.pictures) {
    CHECK(std::filesystem::file_size(folder.path() / "figures" / (picture.chart.id + ".svg")) > 1000);
  }
}

TEST_CASE("a sweep's figures are drawn over its axis, a curve for each choice of the others", "[figures]") {
  const std::vector<Axis> axes{{"outer.policy", {"synchronous", "quorum"}}, {"link:a.bandwidth", {"1Gbps", "10Mbps"}}};
  std::vector<SweptRun> runs;
  for (const auto& point : grid(axes)) {
    const double length = (point[1] == "1Gbps" ? 1000 : 2000) + (point[0] == "quorum" ? 100 : 0);
    runs.push_back(
        {.point = point, .seed = 1, .summary = {{"simulated_s", length}, {"usd", 1e4 / length}}, .error = ""});
  }
  const TemporaryFolder folder;
  write_file(folder.path() / "sweep.csv", std::string_view(sweep_csv(axes, runs)));
  const std::vector<std::string> names{folder.path().string()};
  const PicturedReport made = markdown_report(names, "figures");
  CHECK_THAT(made.text, Contains("| synchronous | 10Mbps |"));
  REQUIRE(made.pictures.size() == 3);  // two figures, and the front of both
  const Picture& first = made.pictures[0];
  CHECK(first.chart.title == "simulated_s over link:a.bandwidth");
  CHECK(first.logarithmic);
  CHECK(first.ticks == std::vector<std::pair<double, std::string>>{{1.25e6, "10Mbps"}, {1.25e8, "1Gbps"}});
  REQUIRE(first.chart.series.size() == 2);
  CHECK(first.chart.series[1].name == "outer.policy=quorum");
  CHECK(first.chart.series[1].y == std::vector<double>{2100, 1100});
  CHECK(made.pictures[2].chart.id == "front");
  const std::vector<std::string> beside{folder.path().string(), folder.path().string()};
  CHECK_THROWS_WITH(markdown_report(beside, ""), Contains("name it alone"));
}

TEST_CASE("a sweep of several seeds has bands, and an axis of many values keeps their words", "[figures]") {
  std::vector<Axis> axes{{"link:a.bandwidth", {}}};
  for (int k = 1; k <= 25; ++k) axes[0].values.push_back(std::to_string(k) + "Mbps");
  SweepFile sweep{.axes = axes, .runs = {}};
  for (const auto& point : grid(axes)) {
    for (const int seed : {1, 2, 3}) {
      const double length = 1000 - 10 * std::stod(point[0]) + seed;
      sweep.runs.push_back({.point = point,
                            .seed = static_cast<std::uint64_t>(seed),
                            .summary = {{"simulated_s", length}},
                            .error = ""});
    }
  }
  const auto pictures = sweep_pictures(sweep, points_of(sweep.runs));
  REQUIRE(pictures.size() == 1);
  REQUIRE(pictures[0].ticks.size() == 9);
  CHECK(pictures[0].ticks[1].second == "4Mbps");
  REQUIRE(pictures[0].bands.size() == 1);
  CHECK(pictures[0].bands[0].low[0] == 991);
  CHECK(pictures[0].bands[0].high[0] == 993);
  CHECK(pictures[0].chart.series[0].y[0] == 992);
  const std::string script = gnuplot_script(pictures[0]);
  CHECK_THAT(script, Contains("\nplot $band0 using 1:2:3 with filledcurves fill transparent"));
  const TemporaryFolder folder;
  draw(pictures, folder.path());
  CHECK(std::filesystem::file_size(folder.path() / "simulated_s.svg") > 1000);
}

TEST_CASE("a sweep over words alone has no figures", "[figures]") {
  const std::vector<Axis> axes{{"outer.policy", {"synchronous", "quorum"}}};
  SweepFile sweep{.axes = axes, .runs = {}};
  for (const auto& point : grid(axes)) {
    sweep.runs.push_back({.point = point, .seed = 1, .summary = {{"simulated_s", point[0].size()}}, .error = ""});
  }
  CHECK(sweep_pictures(sweep, points_of(sweep.runs)).empty());
  const TemporaryFolder folder;
  write_file(folder.path() / "sweep.csv", std::string_view(sweep_csv(axes, sweep.runs)));
  const std::vector<std::string> names{folder.path().string()};
  CHECK_THAT(markdown_report(names, "figures").text, Contains("No figures: they are drawn over an axis"));
  CHECK_THAT(markdown_report(names, "").text, !Contains("No figures"));
}

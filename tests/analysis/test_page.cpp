#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "analysis/page/activity.hpp"
#include "analysis/page/pages.hpp"
#include "analysis/page/progress.hpp"
#include "analysis/page/run_page.hpp"
#include "analysis/page/traffic.hpp"
#include "analysis/settings.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "tests/report/made_up_run.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace dipaco;
using namespace dipaco::analysis;

namespace {

PageRun shown_run(const std::filesystem::path& folder, const testing::MadeUpRun& run = testing::made_up_run()) {
  write_outputs(run.facts, run.events, {.folder = folder});
  return {"made_up", read_run(folder), read_trace(folder)};
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

const Chart& chart_of(const std::vector<Chart>& charts, const std::string& id) {
  const auto found = std::ranges::find(charts, id, &Chart::id);
  REQUIRE(found != charts.end());
  return *found;
}

/// "compute 2-12" and so on.
std::vector<std::string> told(const std::vector<ActivitySpan>& spans) {
  std::vector<std::string> all;
  for (const ActivitySpan& span : spans) {
    all.push_back(std::string(name_of(span.activity)) + " " + std::to_string(std::lround(span.begin)) + "-" +
                  std::to_string(std::lround(span.end)));
  }
  return all;
}

}  // namespace

TEST_CASE("no name in a run can end the page's script or begin a tag", "[page]") {
  const std::string evil = "</script><b>\"&'";
  auto run = testing::made_up_run();
  run.facts.name = evil;
  for (std::string& site : run.facts.sites) site += evil;
  for (NodeFacts& node : run.facts.nodes) node.host += evil;
  run.facts.links[0].name = evil;
  const TemporaryFolder folder;
  write_outputs(run.facts, run.events, {.folder = folder.path()});
  const std::vector<std::string> once{folder.path().string()};
  const std::string page = page_of(once);
  CHECK(times(page, "</script") == 2);  // of the data and of the script
  CHECK(times(page, "<b>") == 0);
  CHECK(times(page, "&lt;/script&gt;&lt;b&gt;") > 5);
  CHECK(times(page, "\\u003c/script\\u003e\\u003cb\\u003e") > 5);
}

TEST_CASE("a page loads nothing", "[page]") {
  const TemporaryFolder folder;
  const std::string page = run_page(shown_run(folder.path()));
  for (const char* const way : {"src=", "url(", "@import", "fetch(", "XMLHttpRequest", "href=\"http", "import("}) {
    CAPTURE(way);
    CHECK(times(page, way) == 0);
  }
  CHECK(times(page, "default-src 'none'") == 1);
  CHECK(times(page, "Copyright (c) 2021 Leon Sorokin") == 1);
}

TEST_CASE("of activities that overlap the first of the list counts", "[page]") {
  CHECK(told(uppermost({{0, 20, Activity::wait_for_task},
                        {2, 12, Activity::wait_in_task},
                        {4, 10, Activity::compute},
                        {3, 5, Activity::transfer},
                        {9, 11, Activity::transfer},
                        {13, 13, Activity::down}})) ==
        std::vector<std::string>{"wait for a task 0-2", "wait, in a task 2-3", "transfer 3-4", "compute 4-10",
                                 "transfer 10-11", "wait, in a task 11-12", "wait for a task 12-20"});
  CHECK(uppermost({}).empty());
}

TEST_CASE("what the workers of the made-up run do is as worked by hand", "[page]") {
  const TemporaryFolder folder;
  const PageRun run = shown_run(folder.path());
  const auto workers = activities(run.run, run.trace);
  REQUIRE(workers.size() == 2);
  CHECK(workers[1].name == "4 w0");
  CHECK(told(workers[1].spans) == std::vector<std::string>{"transfer 0-5", "lost 5-13", "down 13-30",
                                                           "wait for a task 30-40", "transfer 40-45", "compute 45-61",
                                                           "transfer 61-64", "wait for a task 64-66", "down 66-80"});
  const Chart chart = activity_chart(workers, 80, {"simulated time", Unit::seconds});
  // Both workers are there all the time: each stretch adds up to two.
  for (std::size_t k = 0; k < chart.series.front().y.size(); ++k) {
    double sum = 0;
    for (const ChartSeries& series : chart.series) sum += series.y[k];
    CHECK(sum == Approx(2));
  }
  // 8 of 80 s were lost, of one worker.
  const auto lost = std::ranges::find(chart.series, "lost", &ChartSeries::name);
  REQUIRE(lost != chart.series.end());
  CHECK(std::accumulate(lost->y.begin(), lost->y.end(), 0.0) / 300 == Approx(8.0 / 80));
}

TEST_CASE("a timeline has the critical path and a row a worker - a long one is thinned out and says so", "[page]") {
  const TemporaryFolder folder;
  const PageRun run = shown_run(folder.path());
  const auto workers = activities(run.run, run.trace);
  const Timeline line = timeline(run.run, workers, {0, 80});
  CHECK_FALSE(line.thinned);
  CHECK(line.note.empty());
  REQUIRE(line.data["rows"].size() == 3);
  CHECK(line.data["rows"][0]["name"] == "critical path");
  CHECK(line.data["rows"][2]["spans"] ==
        nlohmann::ordered_json({0, 4, 5, 2, 13, 0, 30, 6, 40, 4, 45, 1, 61, 4, 64, 6, 66, 0, 80, -1}));
  const auto part = timeline(run.run, workers, {50, 62}).data["rows"][2]["spans"];
  CHECK(part == nlohmann::ordered_json({50, 1, 61, 4, 62, -1}));

  std::vector<WorkerActivity> many(150, {"w", {}});
  for (WorkerActivity& worker : many) {
    for (int k = 0; k < 1000; ++k) {
      worker.spans.push_back({k * 1.0, k + 0.75, Activity::compute});
      worker.spans.push_back({k + 0.75, k + 1.0, Activity::wait_for_task});
    }
  }
  const Timeline thin = timeline(run.run, many, {0, 1000});
  CHECK(thin.thinned);
  CHECK(thin.note ==
        "100 of 150 workers are shown, evenly picked. Thinned out: each stretch of 1/400 of the time has "
        "the colour of one moment of it.");
  REQUIRE(thin.data["rows"].size() == 101);
  double computes = 0;
  for (std::size_t row = 1; row <= 100; ++row) {
    const auto& spans = thin.data["rows"][row]["spans"];
    CHECK(spans.size() <= 802);
    for (std::size_t k = 0; k + 2 < spans.size(); k += 2) {
      if (spans[k + 1] == 1) computes += spans[k + 2].get<double>() - spans[k].get<double>();
    }
  }
  CHECK(computes / 100'000 == Approx(0.75).margin(0.01));  // the colours have their shares
}

TEST_CASE("curves of a run lie at the ends of its outer steps", "[page]") {
  const TemporaryFolder folder;
  auto made_up = testing::made_up_run();
  made_up.facts.more["validation_perplexity_outer_step_1"] = 50.0;
  std::vector<PageRun> runs{shown_run(folder.path(), made_up)};
  const auto charts = progress_charts(runs);
  const Chart& loss = chart_of(charts, "loss_over_time");
  CHECK(loss.series[0].x == std::vector<double>{40, 80});
  CHECK(loss.series[0].y[1] == Approx(2.95));
  const Chart& perplexity = chart_of(charts, "perplexity_over_time");
  CHECK(perplexity.series[0].x == std::vector<double>{0, 40, 80});
  CHECK(perplexity.series[0].y == std::vector<double>{60.5, 50, 43.25});
  CHECK(perplexity.x.label == "simulated time");
  // Prices are known of none, so there are no dollars.
  CHECK(std::ranges::none_of(charts, [](const Chart& chart) { return chart.y.unit == Unit::amount; }));
  CHECK(std::ranges::find(charts, "perplexity_over_bytes", &Chart::id) != charts.end());
}

TEST_CASE("dollars rise to what the run cost, and a curve over dollars uses them", "[page]") {
  const TemporaryFolder folder;
  auto run = testing::made_up_run();
  for (const NodeFacts& node : run.facts.nodes) {
    run.facts.costs.machines.push_back(
        {.name = node.host, .site = node.site, .there = {{Seconds(0), Seconds(80)}}, .price = UsdPerHour{36}});
  }
  std::vector<PageRun> runs{shown_run(folder.path(), run)};
  const auto charts = progress_charts(runs);
  const Chart& dollars = chart_of(charts, "usd_over_time");
  CHECK(dollars.series[0].y.front() == 0);
  CHECK(dollars.series[0].y.back() == Approx(5 * 0.8));
  CHECK(chart_of(charts, "loss_over_usd").series[0].x.front() == Approx(5 * 0.4));
}

TEST_CASE("egress follows what was sent, or time where that is not known to the end", "[page]") {
  auto run = testing::made_up_run();
  run.facts.costs.egress = {{{SiteId{0}, SiteId{1}}, {.usd = 1, .unit = Bytes{1000}}}};
  const auto dollars_at = [&](double time, std::int64_t slices) {
    const TemporaryFolder folder;
    write_outputs(run.facts, run.events, {.folder = folder.path(), .trace_slices = slices});
    const std::vector<PageRun> runs{{"made_up", read_run(folder.path()), read_trace(folder.path())}};
    const ChartSeries curve = chart_of(progress_charts(runs), "usd_over_time").series[0];
    return curve.y.at(static_cast<std::size_t>(std::ranges::find(curve.x, time) - curve.x.begin()));
  };
  CHECK(dollars_at(80, 1000) == Approx(2));  // 2,000 bytes from east to west
  CHECK(dollars_at(4, 1000) == 0);
  CHECK(dollars_at(4, 12) == Approx(2 * 4.0 / 80));
}

TEST_CASE("bytes between sites over time come to what was sent between them", "[page]") {
  const TemporaryFolder folder;
  const PageRun run = shown_run(folder.path());
  const BytesSoFar bytes(run.trace);
  double sent = 0;
  for (const TransferRow& row : run.trace.transfers) {
    if (run.trace.between_sites(row)) sent += row.bytes;
  }
  CHECK(sent == *run.run.number("wan_bytes"));
  CHECK(bytes.all() == sent);
  CHECK(bytes.at(4.9) == 0);
  CHECK(bytes.at(5) == 1000);  // the module that worker 4 had at 5 s
  double area = 0;
  for (const ChartSeries& series : site_rates_chart(run.trace, 80, {}).series) {
    area += std::accumulate(series.y.begin(), series.y.end(), 0.0) * 80 / 300;
  }
  CHECK(area == Approx(sent));
}

TEST_CASE("each of the busiest links has a curve of its use, at 0 where nothing crossed it", "[page]") {
  auto run = testing::made_up_run();
  run.facts.links[0].over_time = {.stretch = Seconds(2.5), .bytes = {0, 2000, 1000, 0, 500}};
  run.facts.links[1].over_time = {.stretch = Seconds(2.5), .bytes = {20'000}};
  const TemporaryFolder folder;
  const PageRun shown = shown_run(folder.path(), run);
  const Chart chart = link_use_chart(shown.run, {});
  REQUIRE(chart.series.size() == 2);
  CHECK(chart.series[0].name == "wan");
  CHECK(chart.series[0].x == std::vector<double>{0, 2.5, 5, 7.5, 10, 12.5});
  CHECK(chart.series[0].y == std::vector<double>{0, 0.8, 0.4, 0, 0.2, 0});
  CHECK(chart.series[1].x == std::vector<double>{0, 2.5});
  CHECK(chart.series[1].y == std::vector<double>{0.008, 0});
  std::filesystem::remove(folder.path() / "links_over_time.csv");  // of an older run, or a real one
  CHECK(link_use_chart(read_run(folder.path()), {}).series.empty());
}

TEST_CASE("a trace that was cut says how far it goes - events.csv has the rest", "[page]") {
  const TemporaryFolder folder;
  const PageRun whole = shown_run(folder.path());
  CHECK_FALSE(whole.trace.life_until);
  const auto file = folder.path() / "trace.json";
  const auto run = testing::made_up_run();
  write_outputs(run.facts, run.events, {.folder = folder.path(), .trace_slices = 12});
  const Trace cut = read_trace(folder.path());
  REQUIRE(cut.life_until);
  CHECK(*cut.life_until > 0);
  CHECK(*cut.life_until < 80);
  CHECK(*cut.transfers_until == *cut.life_until);
  CHECK(cut.transfers.size() < whole.trace.transfers.size());
  CHECK(how_far_known(cut.transfers_until).find("trace.json was cut") != std::string::npos);
  write_outputs(run.facts, run.events, {.folder = folder.path(), .events = true, .trace_slices = 12});
  const Trace with_events = read_trace(folder.path());
  CHECK_FALSE(with_events.transfers_until);
  CHECK(with_events.life_until == cut.life_until);
  CHECK(with_events.transfers.size() == whole.trace.transfers.size());
  std::filesystem::remove(file);
  CHECK(*read_trace(folder.path()).life_until == 0);
  write_file(file, std::string_view("{\"a\": 1}"));
  CHECK_THROWS_WITH(read_trace(folder.path()), Catch::Matchers::Contains("trace.json:1: no trace of a run"));
}

TEST_CASE("settings that differ stand side by side, others do not", "[page]") {
  const TemporaryFolder folder;
  std::vector<Run> runs;
  for (const char* const name : {"one", "two"}) {
    runs.push_back(shown_run(folder.path() / name).run);
    write_file(folder.path() / name / "run.cfg", std::string_view(std::string("# a comment = 1\n[inner]\nsteps=") +
                                                                  (name[0] == 'o' ? "10" : "20") + "\nbatch = 4\n"));
  }
  const Table table = differing_settings(runs);
  REQUIRE(table.rows.size() == 1);
  CHECK(table.rows[0][0].words == "inner.steps");
  CHECK(table.rows[0][1].words == "10");
  CHECK(table.rows[0][2].words == "20");
  CHECK(table.columns[2].heading == "two");
  std::filesystem::remove(folder.path() / "two" / "run.cfg");
  CHECK(differing_settings(runs).rows.size() == 2);  // batch is not known of both
}

TEST_CASE("several runs have a curve each, of one colour a run, and their tables", "[page]") {
  const TemporaryFolder folder;
  std::vector<std::string> folders;
  for (const char* const name : {"one", "two", "three"}) {
    shown_run(folder.path() / name);
    folders.push_back((folder.path() / name).string());
  }
  const std::string page = page_of(folders);
  const auto begin = page.find("id=page-data>") + 13;
  const auto data = nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  CHECK(data["runs"] == nlohmann::json({"one", "two", "three"}));
  for (const auto& chart : data["charts"]) {
    REQUIRE(chart["series"].size() == 3);
    for (std::size_t k = 0; k < 3; ++k) {
      CHECK(chart["series"][k]["colour"] == k);
      CHECK(chart["series"][k]["name"] == data["runs"][k]);
    }
  }
  CHECK(times(page, "3 runs side by side") >= 2);
  CHECK(times(page, "None: their run files") == 1);
}

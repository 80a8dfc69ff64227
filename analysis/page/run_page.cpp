#include "analysis/page/run_page.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "analysis/page/activity.hpp"
#include "analysis/page/document.hpp"
#include "analysis/page/traffic.hpp"
#include "analysis/report.hpp"
#include "analysis/settings.hpp"
#include "core/base/text.hpp"

namespace dipaco::analysis {
namespace {

/// The tables of these keys, in this order.
void add_tables(PageDocument& page, const std::vector<Table>& tables, std::initializer_list<const char*> keys) {
  for (const char* const key : keys) {
    const auto found = std::ranges::find(tables, key, &Table::key);
    if (found != tables.end()) page.table(*found);
  }
}

std::string what_is_unknown(const Trace& trace) {
  if (!trace.life_until) return "";
  const std::string what = trace.transfers_until ? "Transfers, jobs" : "Jobs";
  if (*trace.life_until <= 0) return what + ", and when a worker was down, are not known: there is no trace.json.";
  return what + ", and when a worker was down, are known up to " + human_seconds(Seconds(*trace.life_until)) +
         " alone: trace.json was cut there.";
}

void add_timeline(PageDocument& page, const std::string& id, const std::string& title, Timeline line,
                  const PageRun& page_run) {
  const ChartAxis time = time_axis(std::span(&page_run, 1));
  line.data["x"] = {{"label", time.label}, {"unit", unit_name(time.unit)}};
  add_sentence(line.note, what_is_unknown(page_run.trace));
  if (!page_run.run.critical_path.empty()) {
    add_sentence(line.note,
                 "Above the workers the critical path, whose fetch and commit have the colour of transfers.");
  }
  add_sentence(line.note, "Drag to zoom, double-click to see all again.");
  page.figure(id, title, line.note);
  page.data(id, std::move(line.data));
}

void add_times(PageDocument& page, const PageRun& page_run) {
  const Run& run = page_run.run;
  const double duration = run.duration().value_or(0);
  if (duration <= 0) return;
  const auto workers = activities(run, page_run.trace);
  Timeline whole = timeline(run, workers, {0, duration});
  const bool thinned = whole.thinned;
  add_timeline(page, "timeline", "What each worker does, over time", std::move(whole), page_run);
  const auto slowest = slowest_outer_step(run);
  if (thinned && slowest) {
    add_timeline(page, "slowest", "The same, of the slowest outer step alone", timeline(run, workers, *slowest),
                 page_run);
  }
  page.chart(activity_chart(workers, duration, time_axis(std::span(&page_run, 1))));
}

}  // namespace

std::string run_page(const PageRun& run) {
  const auto tables = run_tables(run.run);
  const ChartAxis time = time_axis(std::span(&run, 1));
  PageDocument page(run.run.text("run").value_or("Run") + " (" + run.run.folder + ")", "run");
  page.heading("What it came to");
  for (Table table : tables) {
    if (table.key != "summary") continue;
    table.title = "Summary";
    page.table(table);
  }
  page.heading("How it went");
  const auto charts = progress_charts(std::span(&run, 1));
  if (charts.empty()) page.paragraph("This run has learned nothing, has no prices, and sent nothing between sites.");
  page.charts(charts);
  page.heading("Where the time went");
  add_times(page, run);
  add_tables(page, tables, {"worker_time", "task_stages", "slowest_outer_steps"});
  page.heading("Who waited for whom");
  if (run.run.critical_path.empty()) page.paragraph("Only a run in rounds has a critical path (outer.policy).");
  add_tables(page, tables, {"critical_path", "last_contributors"});
  page.heading("Where the bytes went");
  page.chart(site_rates_chart(run.trace, run.run.duration().value_or(0), time));
  page.chart(link_use_chart(run.run, time));
  add_tables(page, tables, {"between_sites", "links", "message_kinds"});
  if (std::ranges::find(tables, "site_costs", &Table::key) != tables.end()) page.heading("What it cost");
  add_tables(page, tables, {"site_costs", "machine_costs"});
  return page.finish();
}

std::string runs_page(std::span<const PageRun> runs) {
  std::vector<Run> plain;
  auto names = nlohmann::ordered_json::array();
  for (const PageRun& run : runs) {
    plain.push_back(run.run);
    names.push_back(run.name);
  }
  PageDocument page(std::to_string(runs.size()) + " runs side by side", "runs");
  page.data("runs", std::move(names));
  page.heading("How they were set");
  const Table settings = differing_settings(plain);
  if (settings.rows.empty()) page.paragraph("None: their run files, scenarios and programs are the same.");
  page.table(settings);
  page.heading("How they went");
  page.charts(progress_charts(runs));
  page.heading("What they came to");
  for (const Table& table : comparison_tables(plain)) {
    if (table.key != settings.key) page.table(table);
  }
  return page.finish();
}

}  // namespace dipaco::analysis

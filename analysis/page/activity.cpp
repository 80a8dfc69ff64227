#include "analysis/page/activity.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "analysis/page/time_cells.hpp"

namespace dipaco::analysis {
namespace {

struct Edge {
  double time = 0;
  Activity activity{};
  int by = 0;  // +1: begins
};

/// What tasks.csv says of each worker's tasks.
void add_tasks(const Run& run, double duration, std::map<std::int64_t, std::vector<ActivitySpan>>& spans) {
  for (const TaskRow& task : run.tasks) {
    if (!task.assigned) continue;
    const double end = task.ended.value_or(duration);
    auto& own = spans[task.worker];
    own.push_back({*task.assigned, end, Activity::wait_in_task});
    if (!task.started) continue;
    const bool useful = task.useful_inner_steps > 0;
    own.push_back({*task.started, task.computed.value_or(end), useful ? Activity::compute : Activity::lost});
  }
}

/// What the trace says of them.
void add_life(const Trace& trace, double duration, std::map<std::int64_t, std::vector<ActivitySpan>>& spans) {
  for (const LifeRow& row : trace.life) {
    const Activity activity = row.what == "wait"   ? Activity::wait_for_task
                              : row.what == "down" ? Activity::down
                                                   : Activity::evaluate;
    spans[row.worker].push_back({row.begin, row.end, activity});
  }
  for (const TransferRow& row : trace.transfers) {
    for (const std::int64_t node : {row.from, row.to}) {
      if (spans.contains(node)) spans[node].push_back({row.begin, row.end, Activity::transfer});
    }
  }
  if (!trace.life_until) return;
  for (auto& [worker, own] : spans) own.push_back({*trace.life_until, duration, Activity::wait_for_task});
}

}  // namespace

const char* name_of(Activity activity) {
  constexpr std::array<const char*, kActivities> kNames{"down",     "compute",         "lost",           "evaluate",
                                                        "transfer", "wait, in a task", "wait for a task"};
  return kNames.at(static_cast<std::size_t>(activity));
}

std::vector<ActivitySpan> uppermost(const std::vector<ActivitySpan>& spans) {
  std::vector<Edge> edges;
  for (const ActivitySpan& span : spans) {
    if (span.end <= span.begin) continue;
    edges.push_back({span.begin, span.activity, 1});
    edges.push_back({span.end, span.activity, -1});
  }
  std::ranges::sort(edges, {}, &Edge::time);
  std::array<int, kActivities> open{};
  std::vector<ActivitySpan> result;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    open.at(static_cast<std::size_t>(edges[k].activity)) += edges[k].by;
    if (k + 1 == edges.size() || edges[k + 1].time <= edges[k].time) continue;
    const auto first = std::ranges::find_if(open, [](int count) { return count > 0; });
    if (first == open.end()) continue;
    const auto activity = static_cast<Activity>(first - open.begin());
    const bool goes_on = !result.empty() && result.back().activity == activity && result.back().end == edges[k].time;
    if (goes_on) {
      result.back().end = edges[k + 1].time;
    } else {
      result.push_back({edges[k].time, edges[k + 1].time, activity});
    }
  }
  return result;
}

std::vector<WorkerActivity> activities(const Run& run, const Trace& trace) {
  const double duration = run.duration().value_or(0);
  std::map<std::int64_t, std::vector<ActivitySpan>> spans;
  for (const WorkerRow& worker : run.workers) spans[worker.worker];
  add_tasks(run, duration, spans);
  add_life(trace, duration, spans);
  std::vector<WorkerActivity> result;
  for (const WorkerRow& worker : run.workers) {
    const auto place = trace.nodes.find(worker.worker);
    const std::string where =
        place != trace.nodes.end() && !place->second.host.empty() ? place->second.host : worker.site;
    result.push_back({std::to_string(worker.worker) + " " + where, uppermost(spans.at(worker.worker))});
    for (ActivitySpan& span : result.back().spans) span.end = std::min(span.end, duration);
    std::erase_if(result.back().spans, [](const ActivitySpan& span) { return span.begin >= span.end; });
  }
  return result;
}

Chart activity_chart(const std::vector<WorkerActivity>& workers, double duration, const ChartAxis& time) {
  Chart chart{.id = "activity",
              .title = "How many workers compute, wait and do other things, over time",
              .kind = ChartKind::stacked,
              .x = time,
              .y = {"workers", Unit::count},
              .series = {},
              .note = "Each point is the mean of a stretch of 1/" + std::to_string(kChartCells) + " of the run."};
  if (duration <= 0) return chart;
  const TimeCells cells(duration, kChartCells);
  std::array<std::vector<double>, kActivities> sums;
  sums.fill(std::vector<double>(cells.count(), 0));
  for (const WorkerActivity& worker : workers) {
    for (const ActivitySpan& span : worker.spans) {
      auto& sum = sums.at(static_cast<std::size_t>(span.activity));
      cells.part(span.begin, span.end, [&](std::size_t cell, double seconds) { sum[cell] += seconds / cells.width(); });
    }
  }
  constexpr std::array kOrder{Activity::compute,      Activity::lost,          Activity::evaluate, Activity::transfer,
                              Activity::wait_in_task, Activity::wait_for_task, Activity::down};
  for (const Activity activity : kOrder) {
    const auto at = static_cast<std::size_t>(activity);
    if (std::ranges::all_of(sums.at(at), [](double sum) { return sum <= 0; })) continue;
    chart.series.push_back({.name = name_of(activity), .colour = at, .x = cells.middles(), .y = sums.at(at)});
  }
  return chart;
}

}  // namespace dipaco::analysis

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/page/activity.hpp"
#include "analysis/page/time_cells.hpp"
#include "core/base/text.hpp"

namespace dipaco::analysis {
namespace {

constexpr std::size_t kMostWorkers = 100;
constexpr std::size_t kMostSpans = 15'000;
constexpr std::size_t kStretches = 400;
/// What only the critical path has.
constexpr std::array<const char*, 3> kPathStages{"exchange", "queue", "coordinate"};

/// A stretch of a row, and which of the timeline's names it has.
struct NamedSpan {
  double begin = 0;
  double end = 0;
  std::size_t name = 0;
};

std::size_t place_of(const std::string& stage) {
  const std::map<std::string, std::size_t> places{{"compute", static_cast<std::size_t>(Activity::compute)},
                                                  {"lost", static_cast<std::size_t>(Activity::lost)},
                                                  {"fetch", static_cast<std::size_t>(Activity::transfer)},
                                                  {"commit", static_cast<std::size_t>(Activity::transfer)},
                                                  {kPathStages[0], kActivities},
                                                  {kPathStages[1], kActivities + 1},
                                                  {kPathStages[2], kActivities + 2}};
  const auto found = places.find(stage);
  return found == places.end() ? kActivities + 2 : found->second;
}

/// What it is at one moment of each stretch; equal neighbours are one. The moments are spread evenly over the
/// stretches' lengths, so that colours have their shares, whatever the rhythm of the run.
std::vector<NamedSpan> sampled(const std::vector<NamedSpan>& spans, const TimeWindow& window, std::size_t row) {
  constexpr double kGolden = 0.6180339887498949;
  const TimeCells cells(window.end - window.begin, kStretches);
  std::vector<NamedSpan> result;
  std::size_t at = 0;
  for (std::size_t k = 0; k < cells.count(); ++k) {
    const double turn = static_cast<double>(k + row * kStretches) * kGolden;
    const double begin = window.begin + cells.begin(k);
    const double end = window.begin + cells.begin(k + 1);
    const double moment = begin + (turn - std::floor(turn)) * cells.width();
    while (at < spans.size() && spans[at].end <= moment) ++at;
    if (at == spans.size() || spans[at].begin > moment) continue;
    const std::size_t name = spans[at].name;
    if (!result.empty() && result.back().name == name && result.back().end == begin) {
      result.back().end = end;
    } else {
      result.push_back({begin, end, name});
    }
  }
  return result;
}

/// What lies within the window.
std::vector<NamedSpan> within(std::vector<NamedSpan> spans, const TimeWindow& window) {
  for (NamedSpan& span : spans) {
    span.begin = std::max(span.begin, window.begin);
    span.end = std::min(span.end, window.end);
  }
  std::erase_if(spans, [](const NamedSpan& span) { return span.begin >= span.end; });
  return spans;
}

/// Begins and names by turns; -1 where nothing is, and at the end.
nlohmann::ordered_json flat(const std::vector<NamedSpan>& spans) {
  auto array = nlohmann::ordered_json::array();
  const auto add = [&](double begin, int name) {
    array.push_back(rounded_json(begin));
    array.push_back(name);
  };
  for (std::size_t k = 0; k < spans.size(); ++k) {
    add(spans[k].begin, static_cast<int>(spans[k].name));
    if (k + 1 == spans.size() || spans[k + 1].begin > spans[k].end) add(spans[k].end, -1);
  }
  return array;
}

struct Row {
  std::string name;
  std::vector<NamedSpan> spans;
};

std::vector<Row> rows_of(const Run& run, const std::vector<WorkerActivity>& workers) {
  std::vector<Row> rows;
  if (!run.critical_path.empty()) {
    Row path{"critical path", {}};
    for (const StretchRow& row : run.critical_path) path.spans.push_back({row.begin, row.end, place_of(row.stage)});
    rows.push_back(std::move(path));
  }
  const std::size_t shown = std::min(workers.size(), kMostWorkers);
  for (std::size_t k = 0; k < shown; ++k) {
    const WorkerActivity& worker = workers[k * workers.size() / shown];
    Row row{worker.name, {}};
    for (const ActivitySpan& span : worker.spans) {
      row.spans.push_back({span.begin, span.end, static_cast<std::size_t>(span.activity)});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Timeline timeline(const Run& run, const std::vector<WorkerActivity>& workers, const TimeWindow& window) {
  auto rows = rows_of(run, workers);
  Timeline result;
  if (workers.size() > kMostWorkers) {
    result.note = std::to_string(kMostWorkers) + " of " + human_count(static_cast<std::int64_t>(workers.size())) +
                  " workers are shown, evenly picked.";
  }
  std::size_t spans = 0;
  for (Row& row : rows) {
    row.spans = within(std::move(row.spans), window);
    spans += row.spans.size();
  }
  if (spans > kMostSpans) {
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k].spans = sampled(rows[k].spans, window, k);
    result.thinned = true;
    add_sentence(result.note, "Thinned out: each stretch of 1/" + std::to_string(kStretches) +
                                  " of the time has the colour of one moment of it.");
  }
  result.data = {{"begin", rounded(window.begin)},
                 {"end", rounded(window.end)},
                 {"names", nlohmann::ordered_json::array()},
                 {"rows", nlohmann::ordered_json::array()}};
  for (std::size_t k = 0; k < kActivities; ++k) result.data["names"].push_back(name_of(static_cast<Activity>(k)));
  for (const char* const stage : kPathStages) result.data["names"].push_back(stage);
  for (const Row& row : rows) result.data["rows"].push_back({{"name", row.name}, {"spans", flat(row.spans)}});
  return result;
}

std::optional<TimeWindow> slowest_outer_step(const Run& run) {
  const OuterStepRow* slowest = nullptr;
  for (const OuterStepRow& step : run.outer_steps) {
    if (step.begin && step.end && step.duration && (slowest == nullptr || *step.duration > *slowest->duration)) {
      slowest = &step;
    }
  }
  if (slowest == nullptr) return std::nullopt;
  return TimeWindow{*slowest->begin, *slowest->end};
}

}  // namespace dipaco::analysis

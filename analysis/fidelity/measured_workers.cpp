#include "analysis/fidelity/measured_workers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

#include "analysis/fidelity/middle.hpp"
#include "core/base/error.hpp"

namespace dipaco::analysis {
namespace {

/// Site and number there.
using Place = std::pair<std::string, std::int64_t>;

/// Of each node that works.
std::map<std::int64_t, Place> places_of(const Run& run) {
  std::vector<WorkerRow> workers = run.workers;
  std::ranges::sort(workers, {}, &WorkerRow::worker);
  std::map<std::string, std::int64_t> so_far;
  std::map<std::int64_t, Place> places;
  for (const WorkerRow& worker : workers) places[worker.worker] = {worker.site, so_far[worker.site]++};
  return places;
}

std::vector<Place> sorted_places(const std::map<std::int64_t, Place>& places) {
  std::vector<Place> all;
  for (const auto& [node, place] : places) all.push_back(place);
  std::ranges::sort(all);
  return all;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Of the logarithms, around that of the median: a task that was held up once is one of many.
double spread(const std::vector<double>& values, double median) {
  double sum = 0;
  for (const double value : values) sum += std::log(value / median) * std::log(value / median);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

/// What is known of one worker, task by task.
struct WorkerTimes {
  std::vector<double> steps;    ///< seconds an inner step
  std::vector<double> commits;  ///< seconds until stores had the state
};

void add_task(WorkerTimes& times, const TaskRow& task) {
  if (!task.started || !task.computed || task.inner_steps <= 0) return;
  times.steps.push_back((*task.computed - *task.started) / static_cast<double>(task.inner_steps));
  if (task.end == "committed" && task.ended) times.commits.push_back(*task.ended - *task.computed);
}

std::optional<MeasuredWorker> measured(const Place& place, const WorkerTimes& times) {
  if (times.steps.empty()) return std::nullopt;
  const double median = middle(times.steps);
  if (median <= 0) return std::nullopt;
  MeasuredWorker worker{.site = place.first,
                        .number = place.second,
                        .step_time = median,
                        .jitter = std::nullopt,
                        .commit = std::nullopt,
                        .tasks = std::ssize(times.steps)};
  if (worker.tasks >= kTasksForJitter) worker.jitter = spread(times.steps, median);
  if (!times.commits.empty()) worker.commit = mean(times.commits);
  return worker;
}

}  // namespace

std::vector<MeasuredWorker> measured_workers(std::span<const Run> runs) {
  std::map<Place, WorkerTimes> times;
  std::vector<Place> first;
  for (const Run& run : runs) {
    const auto places = places_of(run);
    if (first.empty()) first = sorted_places(places);
    if (sorted_places(places) != first) {
      throw DataError(run.folder + "/workers.csv: other workers than in " + runs.front().folder +
                      "; name runs of the same processes");
    }
    for (const TaskRow& task : run.tasks) {
      const auto place = places.find(task.worker);
      if (place != places.end()) add_task(times[place->second], task);
    }
  }
  std::vector<MeasuredWorker> workers;
  for (const auto& [place, all] : times) {
    if (const auto worker = measured(place, all)) workers.push_back(*worker);
  }
  return workers;
}

std::optional<double> bytes_of_put(const Run& run) {
  const auto bytes = run.number("bytes_put_path_state");
  const auto messages = run.number("messages_put_path_state");
  if (!bytes || !messages || *messages <= 0) return std::nullopt;
  return *bytes / *messages;
}

}  // namespace dipaco::analysis

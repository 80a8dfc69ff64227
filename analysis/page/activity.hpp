#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/page/charts.hpp"
#include "analysis/run_files.hpp"
#include "analysis/trace_file.hpp"

namespace dipaco::analysis {

/// What a worker does at a time: of several the first here counts. The words are those of workers.csv; its wait is
/// parted by whether the worker has a task.
enum class Activity : unsigned char { down, compute, lost, evaluate, transfer, wait_in_task, wait_for_task };
inline constexpr std::size_t kActivities = 7;
const char* name_of(Activity activity);

struct ActivitySpan {
  double begin = 0;
  double end = 0;
  Activity activity{};
};

/// Of spans that overlap the one that counts at each time: rising, none overlaps, equal neighbours are one.
std::vector<ActivitySpan> uppermost(const std::vector<ActivitySpan>& spans);

struct WorkerActivity {
  std::string name;  ///< "5 washington-0": node and host, or site where hosts are not known
  std::vector<ActivitySpan> spans;
};

/// A row a worker, in the order of workers.csv. What is not known of a time after the trace's end is a wait.
std::vector<WorkerActivity> activities(const Run& run, const Trace& trace);

/// How many workers do what, over time: stacked.
Chart activity_chart(const std::vector<WorkerActivity>& workers, double duration, const ChartAxis& time);

struct TimeWindow {
  double begin = 0;
  double end = 0;
};

/// {"begin", "end", "names", "rows"}: of each row begins and names by turns, -1 where nothing is.
struct Timeline {
  nlohmann::ordered_json data;
  std::string note;
  bool thinned = false;
};
/// What a page shows of a window. Above the workers the critical path, if the run has one. At most 100 workers, evenly
/// picked; if there are still more than 15,000 spans, the window is parted into 400 stretches, each with what is done
/// at one moment of it.
Timeline timeline(const Run& run, const std::vector<WorkerActivity>& workers, const TimeWindow& window);

/// When the outer step that took longest took place; nullopt where none has ended.
std::optional<TimeWindow> slowest_outer_step(const Run& run);

}  // namespace dipaco::analysis

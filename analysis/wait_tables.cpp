#include "analysis/wait_tables.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace dipaco::analysis {
namespace {

constexpr std::size_t kMostRowsOfWaits = 12;

/// The keys with the most seconds, most first.
template <class Key>
std::vector<std::pair<Key, double>> most_of(const std::map<Key, double>& seconds) {
  std::vector<std::pair<Key, double>> all(seconds.begin(), seconds.end());
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  if (all.size() > kMostRowsOfWaits) all.resize(kMostRowsOfWaits);
  return all;
}

}  // namespace

Table critical_path_table(const Run& run) {
  Table table{"critical_path",
              "Critical path: what the run's duration is made of",
              {{"stage", "stage"}, {"site", "site"}, {"way", "over the way"}, {"seconds", "time"}, {"share", "share"}},
              {}};
  std::map<std::tuple<std::string, std::string, std::string>, double> seconds;
  double all = 0;
  for (const StretchRow& row : run.critical_path) {
    seconds[{row.stage, row.site, row.way}] += row.end - row.begin;
    all += row.end - row.begin;
  }
  for (const auto& [where, time] : most_of(seconds)) {
    const auto& [stage, site, way] = where;
    table.rows.push_back({stage, site, way, {Unit::seconds, time}, {Unit::share, time / all}});
  }
  return table;
}

Table last_table(const Run& run) {
  Table table{"last_contributors",
              "Whom module steps waited for",
              {{"worker", "worker"},
               {"site", "site"},
               {"module_steps", "module steps"},
               {"share", "share"},
               {"behind_s", "behind the next"},
               {"stage", "mostly in"}},
              {}};
  using Worker = std::pair<std::string, std::string>;
  std::map<Worker, double> behind;
  std::map<Worker, double> steps;
  std::map<Worker, std::map<std::string, double>> stages;
  for (const ModuleStepRow& row : run.module_steps) {
    const Worker worker{row.host, row.site};
    behind[worker] += row.behind;
    ++steps[worker];
    stages[worker][row.way.empty() ? row.stage : row.stage + ", " + row.way] += row.behind;
  }
  for (const auto& [worker, time] : most_of(behind)) {
    table.rows.push_back({worker.first,
                          worker.second,
                          {Unit::count, steps.at(worker)},
                          {Unit::share, steps.at(worker) / static_cast<double>(run.module_steps.size())},
                          {Unit::seconds, time},
                          most_of(stages.at(worker)).front().first});
  }
  return table;
}

}  // namespace dipaco::analysis

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

/// Module steps that waited for one of these last.
struct Lasts {
  double steps = 0;
  std::map<std::string, double> stages;  ///< seconds behind the next
};

/// A row for each key, the one with the most seconds first: its cells, how many module steps, their share, seconds, and
/// the stage of most of them.
template <class Key, class KeyOf, class Cells>
void add_lasts(Table& table, const std::vector<ModuleStepRow>& rows, const KeyOf& key_of, const Cells& cells) {
  std::map<Key, double> behind;
  std::map<Key, Lasts> lasts;
  for (const ModuleStepRow& row : rows) {
    const Key key = key_of(row);
    behind[key] += row.behind;
    ++lasts[key].steps;
    lasts[key].stages[row.way.empty() ? row.stage : row.stage + ", " + row.way] += row.behind;
  }
  for (const auto& [key, time] : most_of(behind)) {
    const Lasts& its = lasts.at(key);
    std::vector<Value> row = cells(key);
    row.insert(row.end(), {{Unit::count, its.steps},
                           {Unit::share, its.steps / static_cast<double>(rows.size())},
                           {Unit::seconds, time},
                           Value{most_of(its.stages).front().first}});
    table.rows.push_back(std::move(row));
  }
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
  add_lasts<Worker>(
      table, run.module_steps,
      [](const ModuleStepRow& row) {
        return Worker{row.host, row.site};
      },
      [](const Worker& worker) {
        return std::vector<Value>{worker.first, worker.second};
      });
  return table;
}

Table last_sites_table(const Run& run) {
  Table table{"last_sites",
              "Which site's workers module steps waited for",
              {{"site", "site"},
               {"module_steps", "module steps"},
               {"share", "share"},
               {"behind_s", "behind the next"},
               {"stage", "mostly in"}},
              {}};
  add_lasts<std::string>(
      table, run.module_steps, [](const ModuleStepRow& row) { return row.site; },
      [](const std::string& site) { return std::vector<Value>{site}; });
  if (table.rows.size() < 2) table.rows.clear();
  return table;
}

Table last_causes_table(const Run& run) {
  Table table{"last_causes",
              "In what the last task of a module step lost most",
              {{"stage", "stage"},
               {"way", "over the way"},
               {"module_steps", "module steps"},
               {"share", "share"},
               {"behind_s", "behind the next"}},
              {}};
  using Cause = std::pair<std::string, std::string>;
  add_lasts<Cause>(
      table, run.module_steps,
      [](const ModuleStepRow& row) {
        return Cause{row.stage, row.way};
      },
      [](const Cause& cause) {
        return std::vector<Value>{cause.first, cause.second};
      });
  for (auto& row : table.rows) row.pop_back();  // mostly in what the row says
  return table;
}

}  // namespace dipaco::analysis

#include "analysis/study/sweep_tables.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "analysis/study/points.hpp"
#include "core/base/csv_writer.hpp"
#include "core/base/text.hpp"

namespace dipaco::analysis {
namespace {

std::string words_of(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return format_number(value.get<double>());
  return value.is_null() ? "" : value.dump();
}

std::vector<std::string> keys_of(const std::vector<Axis>& axes) {
  std::vector<std::string> keys;
  for (const Axis& axis : axes) keys.push_back(axis.key);
  return keys;
}

}  // namespace

Unit unit_of(std::string_view key) {
  if (key.ends_with("_per_s")) return Unit::number;
  if (key.ends_with("_s") || key.find("_s_") != std::string_view::npos) return Unit::seconds;
  if (key.starts_with("bytes_") || key.ends_with("_bytes")) return Unit::bytes;
  if (key.starts_with("goodput") || key.ends_with("_share") || key.ends_with("utilization")) return Unit::share;
  return Unit::number;
}

std::vector<std::string> figures_of(const std::vector<SweptRun>& runs) {
  std::set<std::string> keys;
  for (const SweptRun& run : runs) {
    for (const auto& [key, value] : run.summary.items()) {
      if (value.is_number()) keys.insert(key);
    }
  }
  return {keys.begin(), keys.end()};
}

std::string sweep_csv(const std::vector<Axis>& axes, const std::vector<SweptRun>& runs) {
  std::set<std::string> keys;
  for (const SweptRun& run : runs) {
    for (const auto& [key, value] : run.summary.items()) keys.insert(key);
  }
  keys.erase("seed");  // has a column of its own
  auto columns = keys_of(axes);
  columns.insert(columns.end(), {"seed", "error"});
  columns.insert(columns.end(), keys.begin(), keys.end());
  CsvWriter csv(columns);
  for (const SweptRun& run : runs) {
    for (const std::string& value : run.point) csv.cell(value);
    csv.cell(run.seed).cell(run.error);
    for (const std::string& key : keys) csv.cell(run.summary.contains(key) ? words_of(run.summary.at(key)) : "");
    csv.end_row();
  }
  return csv.take();
}

std::string points_csv(const std::vector<Axis>& axes, const std::vector<SweptRun>& runs) {
  auto keys = figures_of(runs);
  std::erase(keys, "seed");
  auto columns = keys_of(axes);
  columns.emplace_back("runs");
  for (const std::string& key : keys) columns.insert(columns.end(), {key, key + "_low", key + "_high"});
  CsvWriter csv(columns);
  for (const SweptPoint& point : points_of(runs)) {
    for (const std::string& value : point.values) csv.cell(value);
    csv.cell(std::ranges::count_if(point.runs, [](const SweptRun* run) { return run->error.empty(); }));
    for (const std::string& key : keys) {
      const auto spread = spread_at(point, key);
      for (const auto part : {&Spread::median, &Spread::low, &Spread::high}) {
        spread ? csv.cell((*spread).*part) : csv.empty();
      }
    }
    csv.end_row();
  }
  return csv.take();
}

namespace {

std::string name_of(const SweptPoint& point) {
  std::string words;
  for (const std::string& value : point.values) {
    const bool is_list = value.find(',') != std::string::npos;
    words += (words.empty() ? "" : ", ") + (is_list ? '"' + value + '"' : value.empty() ? "none" : value);
  }
  return point.values.empty() ? "all runs" : words;
}

Value figure(const std::string& key, const std::optional<Spread>& spread, double Spread::*part) {
  return {unit_of(key), spread ? std::optional((*spread).*part) : std::nullopt};
}

/// A row a point and figure: the median and its interval.
void add_spreads(Table& table, const std::vector<SweptPoint>& points, const std::vector<std::string>& keys) {
  table.columns.insert(table.columns.end(),
                       {{"figure", "figure"}, {"median", "median"}, {"low", "low"}, {"high", "high"}});
  for (const SweptPoint& point : points) {
    for (const std::string& key : keys) {
      const auto spread = spread_at(point, key);
      table.rows.push_back({Value{name_of(point)}, Value{key}, figure(key, spread, &Spread::median),
                            figure(key, spread, &Spread::low), figure(key, spread, &Spread::high)});
    }
  }
}

}  // namespace

Table points_table(const std::vector<Axis>& axes, const std::vector<SweptRun>& runs,
                   const std::vector<std::string>& shown) {
  const std::vector<SweptPoint> points = points_of(runs);
  std::string where;
  for (const Axis& axis : axes) where += (where.empty() ? "" : ", ") + axis.key;
  const std::string title = where.empty() ? "All runs" : "By " + where;
  Table table{.key = "points", .title = title, .columns = {{"point", "point"}}, .rows = {}};
  const auto known = figures_of(runs);
  auto keys = shown;
  std::erase_if(keys, [&](const std::string& key) { return std::ranges::find(known, key) == known.end(); });
  if (std::ranges::any_of(points, [](const SweptPoint& point) { return point.runs.size() > 1; })) {
    add_spreads(table, points, keys);
    return table;
  }
  for (const std::string& key : keys) table.columns.push_back({key, key});
  for (const SweptPoint& point : points) {
    std::vector<Value> row{Value{name_of(point)}};
    for (const std::string& key : keys) row.push_back(figure(key, spread_at(point, key), &Spread::median));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace dipaco::analysis

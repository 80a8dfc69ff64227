#include "analysis/report.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "analysis/settings.hpp"
#include "analysis/summary_rows.hpp"

namespace dipaco::analysis {
namespace {

Table side_by_side(const std::string& key, const std::string& title, const std::string& first,
                   std::span<const Run> runs) {
  Table table{key, title, {{"what", first}}, {}};
  for (const std::string& name : run_names(runs)) table.columns.push_back({name, name});
  return table;
}

bool shows_something(const std::vector<Value>& row) {
  return std::any_of(row.begin() + 1, row.end(),
                     [](const Value& value) { return value.number || !value.words.empty(); });
}

Table summaries(std::span<const Run> runs) {
  Table table = side_by_side("summary", std::to_string(runs.size()) + " runs side by side", "", runs);
  for (const SummaryRow& line : summary_rows()) {
    std::vector<Value> row{line.name};
    for (const Run& run : runs) row.push_back(line.value(run));
    if (shows_something(row)) table.rows.push_back(std::move(row));
  }
  return table;
}

Table kinds(std::span<const Run> runs) {
  Table table = side_by_side("message_kinds", "Bytes by kind of message", "kind", runs);
  std::map<std::string, double> most;
  for (const Run& run : runs) {
    for (const auto& [kind, bytes] : message_kinds(run)) most[kind] = std::max(most[kind], bytes);
  }
  std::vector<std::pair<std::string, double>> order(most.begin(), most.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [kind, bytes] : order) {
    std::vector<Value> row{kind};
    for (const Run& run : runs) row.push_back({Unit::bytes, run.number("bytes_" + kind)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table losses(std::span<const Run> runs) {
  Table table = side_by_side("loss", "Training loss by outer step", "outer step", runs);
  const auto longest = std::max_element(
      runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.outer_steps.size() < b.outer_steps.size(); });
  for (const OuterStepRow& step : picked(longest->outer_steps)) {
    std::vector<Value> row{{Unit::count, static_cast<double>(step.outer_step)}};
    for (const Run& run : runs) {
      const auto same = std::find_if(run.outer_steps.begin(), run.outer_steps.end(),
                                     [&](const OuterStepRow& other) { return other.outer_step == step.outer_step; });
      row.push_back({Unit::number, same != run.outer_steps.end() ? same->loss : std::nullopt});
    }
    if (shows_something(row)) table.rows.push_back(std::move(row));
  }
  return table;
}

std::string joined(const std::vector<Table>& tables, std::string (*render)(const Table&)) {
  std::string out;
  for (const Table& table : tables) out += (out.empty() ? "" : "\n") + render(table);
  return out;
}

nlohmann::ordered_json tables_json(const std::vector<Table>& tables) {
  nlohmann::ordered_json object;
  for (const Table& table : tables) object[table.key] = as_json(table);
  return object;
}

std::string report_json(std::span<const Run> runs) {
  nlohmann::ordered_json all;
  all["runs"] = nlohmann::ordered_json::array();
  for (const Run& run : runs) {
    nlohmann::ordered_json object{{"folder", run.folder}};
    auto tables = run_tables(run);
    std::erase_if(tables, [](const Table& table) { return table.key == "summary"; });
    object["summary"] = run.summary;
    object.update(tables_json(tables));
    all["runs"].push_back(std::move(object));
  }
  if (runs.size() > 1) all["side_by_side"] = tables_json(comparison_tables(runs));
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

std::vector<std::string> run_names(std::span<const Run> runs) {
  std::vector<std::string> names;
  std::map<std::string, int> times;
  for (const Run& run : runs) {
    const auto folder = std::filesystem::path(run.folder).lexically_normal();
    names.push_back((folder.has_filename() ? folder : folder.parent_path()).filename().string());
    ++times[names.back()];
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (times[names[i]] > 1) names[i] = runs[i].folder;
  }
  return names;
}

std::vector<Table> comparison_tables(std::span<const Run> runs) {
  std::vector<Table> tables{differing_settings(runs), summaries(runs), losses(runs), kinds(runs)};
  std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
  return tables;
}

std::string report(std::span<const Run> runs, Format format) {
  if (format == Format::json) return report_json(runs);
  return joined(runs.size() == 1 ? run_tables(runs.front()) : comparison_tables(runs),
                format == Format::text ? as_text : as_markdown);
}

}  // namespace dipaco::analysis

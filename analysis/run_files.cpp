#include "analysis/run_files.hpp"

#include <algorithm>
#include <fstream>

#include "analysis/csv_file.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"

namespace dipaco::analysis {
namespace {

std::vector<WorkerRow> read_workers(const std::filesystem::path& file) {
  CsvFile<8> csv(file, {"worker", "site", "up_s", "compute_s", "lost_s", "evaluate_s", "transfer_s", "wait_s"});
  std::vector<WorkerRow> rows;
  while (csv.next()) {
    rows.push_back({.worker = csv[0].integer(),
                    .site = csv[1].text(),
                    .up = csv[2].number(),
                    .compute = csv[3].number(),
                    .lost = csv[4].number(),
                    .evaluate = csv[5].number(),
                    .transfer = csv[6].number(),
                    .wait = csv[7].number()});
  }
  return rows;
}

std::vector<OuterStepRow> read_outer_steps(const std::filesystem::path& file) {
  CsvFile<9> csv(file, {"outer_step", "begin_s", "duration_s", "tasks_requeued", "inner_steps_s", "loss", "last_path",
                        "last_worker", "end_s"});
  std::vector<OuterStepRow> rows;
  while (csv.next()) {
    rows.push_back({.outer_step = csv[0].integer(),
                    .begin = csv[1].optional_number(),
                    .end = csv[8].optional_number(),
                    .duration = csv[2].optional_number(),
                    .tasks_requeued = csv[3].integer(),
                    .inner_steps_s = csv[4].number(),
                    .loss = csv[5].optional_number(),
                    .last_path = csv[6].optional_integer(),
                    .last_worker = csv[7].optional_integer()});
  }
  return rows;
}

std::vector<LinkRow> read_links(const std::filesystem::path& file) {
  CsvFile<11> csv(file, {"kind", "link", "from_site", "to_site", "bytes", "bandwidth_bytes_per_s", "mean_use",
                         "peak_use", "line_bytes_per_s", "line_spread", "line_message_s"});
  std::vector<LinkRow> rows;
  while (csv.next()) {
    rows.push_back({.kind = csv[0].text(),
                    .link = csv[1].text(),
                    .from_site = csv[2].text(),
                    .to_site = csv[3].text(),
                    .bytes = csv[4].number(),
                    .bandwidth = csv[5].optional_number(),
                    .mean_use = csv[6].optional_number(),
                    .peak_use = csv[7].optional_number(),
                    .line_rate = csv[8].optional_number(),
                    .line_spread = csv[9].optional_number(),
                    .line_message = csv[10].optional_number()});
  }
  return rows;
}

std::vector<LinkStretchRow> read_links_over_time(const std::filesystem::path& file) {
  std::vector<LinkStretchRow> rows;
  if (!std::filesystem::exists(file)) return rows;
  CsvFile<4> csv(file, {"link", "begin_s", "end_s", "use"});
  while (csv.next()) {
    rows.push_back({.link = csv[0].text(), .begin = csv[1].number(), .end = csv[2].number(), .use = csv[3].number()});
  }
  return rows;
}

std::vector<EgressRow> read_egress(const std::filesystem::path& file) {
  CsvFile<2> csv(file, {"from_site", "egress_usd"});
  std::vector<EgressRow> rows;
  while (csv.next()) rows.push_back({.from_site = csv[0].text(), .usd = csv[1].number()});
  return rows;
}

std::vector<MachineRow> read_machines(const std::filesystem::path& file) {
  CsvFile<7> csv(file, {"machine", "site", "billed_s", "busy_s", "machine_usd", "kwh", "energy_usd"});
  std::vector<MachineRow> rows;
  while (csv.next()) {
    rows.push_back({.machine = csv[0].text(),
                    .site = csv[1].text(),
                    .billed = csv[2].number(),
                    .busy = csv[3].number(),
                    .usd = csv[4].optional_number(),
                    .kwh = csv[5].optional_number(),
                    .energy_usd = csv[6].optional_number()});
  }
  return rows;
}

std::vector<TaskRow> read_tasks(const std::filesystem::path& file) {
  CsvFile<10> csv(file, {"queued_s", "assigned_s", "started_s", "computed_s", "ended_s", "end", "worker",
                         "useful_inner_steps", "outer_step", "inner_steps"});
  std::vector<TaskRow> rows;
  while (csv.next()) {
    rows.push_back({.outer_step = csv[8].integer(),
                    .worker = csv[6].integer(),
                    .queued = csv[0].optional_number(),
                    .assigned = csv[1].optional_number(),
                    .started = csv[2].optional_number(),
                    .computed = csv[3].optional_number(),
                    .ended = csv[4].optional_number(),
                    .end = csv[5].text(),
                    .inner_steps = csv[9].integer(),
                    .useful_inner_steps = csv[7].integer()});
  }
  return rows;
}

/// Between which sites the message of each row went; of an older run's file, nothing.
std::vector<std::string> read_ways(const std::filesystem::path& file) {
  std::vector<std::string> ways;
  std::ifstream header(file);
  std::string columns;
  std::getline(header, columns);
  if (columns.find("from_site") == std::string::npos) return ways;
  CsvFile<2> csv(file, {"from_site", "to_site"});
  while (csv.next()) {
    const std::string from = csv[0].text();
    const std::string to = csv[1].text();
    ways.push_back(from == to ? "" : from + " to " + to);
  }
  return ways;
}

std::vector<StretchRow> read_critical_path(const std::filesystem::path& file) {
  std::vector<StretchRow> rows;
  if (!std::filesystem::exists(file)) return rows;
  const std::vector<std::string> ways = read_ways(file);
  CsvFile<4> csv(file, {"begin_s", "end_s", "stage", "site"});
  while (csv.next()) {
    rows.push_back({.begin = csv[0].number(), .end = csv[1].number(), .stage = csv[2].text(), .site = csv[3].text()});
    if (rows.size() <= ways.size()) rows.back().way = ways[rows.size() - 1];
  }
  return rows;
}

std::vector<ModuleStepRow> read_module_steps(const std::filesystem::path& file) {
  std::vector<ModuleStepRow> rows;
  if (!std::filesystem::exists(file)) return rows;
  const std::vector<std::string> ways = read_ways(file);
  CsvFile<4> csv(file, {"site", "host", "behind_s", "stage"});
  while (csv.next()) {
    rows.push_back({.site = csv[0].text(), .host = csv[1].text(), .behind = csv[2].number(), .stage = csv[3].text()});
    if (rows.size() <= ways.size()) rows.back().way = ways[rows.size() - 1];
  }
  return rows;
}

}  // namespace

std::optional<double> Run::number(const std::string& key) const {
  const auto value = summary.find(key);
  if (value == summary.end()) return std::nullopt;
  if (!value->is_number())
    throw DataError(folder + "/summary.json: " + key + " is " + value->dump() + ", not a number");
  return value->get<double>();
}

std::optional<std::string> Run::text(const std::string& key) const {
  const auto value = summary.find(key);
  if (value == summary.end()) return std::nullopt;
  return value->is_string() ? value->get<std::string>() : value->dump();
}

std::optional<double> Run::duration() const {
  const auto simulated = number("simulated_s");
  return simulated ? simulated : number("elapsed_s");
}

nlohmann::json read_json_object(const std::filesystem::path& file) {
  const std::string text = read_text(file);
  try {
    auto summary = nlohmann::json::parse(text);
    if (summary.is_object()) return summary;
  } catch (const nlohmann::json::parse_error& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    throw DataError(file.string() + ":" + std::to_string(std::count(text.begin(), end, '\n') + 1) +
                    ": broken JSON; let the run write its folder again");
  }
  throw DataError(file.string() + ":1: not a JSON object; let the run write its folder again");
}

namespace {

/// A folder that is none of a run that has ended.
void require_run(const std::filesystem::path& folder) {
  if (std::filesystem::exists(folder / "summary.json")) return;
  if (std::filesystem::exists(folder / "state" / "run")) {
    throw DataError((folder / "summary.json").string() + " is missing: the run has not finished; go on with --resume " +
                    folder.string());
  }
  throw DataError((folder / "summary.json").string() + " is missing; name the --out folder of a run that has finished");
}

}  // namespace

Run read_run(const std::filesystem::path& folder) {
  require_run(folder);
  Run run;
  run.folder = folder.string();
  run.summary = read_json_object(folder / "summary.json");
  run.workers = read_workers(folder / "workers.csv");
  run.outer_steps = read_outer_steps(folder / "outer_steps.csv");
  run.links = read_links(folder / "links.csv");
  run.links_over_time = read_links_over_time(folder / "links_over_time.csv");
  if (run.number("egress_usd")) run.egress = read_egress(folder / "egress.csv");
  if (run.number("machine_usd") || run.number("kwh")) run.machines = read_machines(folder / "machines.csv");
  run.tasks = read_tasks(folder / "tasks.csv");
  run.critical_path = read_critical_path(folder / "critical_path.csv");
  run.module_steps = read_module_steps(folder / "module_steps.csv");
  return run;
}

}  // namespace dipaco::analysis

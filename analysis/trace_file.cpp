#include "analysis/trace_file.hpp"

#include <algorithm>
#include <utility>

#include "analysis/csv_file.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco::analysis {
namespace {

constexpr double kMicroseconds = 1e-6;  // Chrome's unit

/// "worker 5 @ washington, washington-0" of the first track of a node: its number, site and host.
class TrackNames {
 public:
  void add(const nlohmann::json& event, Trace& trace) {
    const std::string name = event.at("args").at("name").get<std::string>();
    if (event.at("name") == "process_name") sites_[event.at("pid").get<std::int64_t>()] = name;
    if (event.at("name") != "thread_name") return;
    const auto at = name.find(" @ ");
    const auto space = name.find(' ');
    if (at == std::string::npos || space >= at) return;
    const auto node = parse_integer(std::string_view(name).substr(space + 1, at - space - 1));
    if (!node || trace.nodes.contains(*node)) return;  // its further tracks have its transfers
    const std::string& site = sites_[event.at("pid").get<std::int64_t>()];
    const std::string place = name.substr(at + 3);
    const std::string host = place.size() > site.size() + 2 ? place.substr(site.size() + 2) : "";
    trace.nodes[*node] = {.site = site, .host = host};
    if (name.starts_with("worker ")) workers_[event.at("tid").get<std::int64_t>()] = *node;
  }
  /// The worker whose own track this is.
  std::optional<std::int64_t> worker_of(std::int64_t track) const {
    const auto found = workers_.find(track);
    return found == workers_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<std::int64_t, std::string> sites_;     // by process
  std::map<std::int64_t, std::int64_t> workers_;  // by track
};

/// A stage of a task: tasks.csv has them all.
bool is_of_a_task(const std::string& name) {
  return name == "gather" || name == "store" || name.starts_with("inner steps") || name.starts_with("path ");
}

void add_slice(const nlohmann::json& event, const TrackNames& names, Trace& trace) {
  const double begin = event.at("ts").get<double>() * kMicroseconds;
  const double end = begin + event.at("dur").get<double>() * kMicroseconds;
  if (event.contains("args") && event["args"].contains("bytes")) {
    const nlohmann::json& arguments = event["args"];
    trace.transfers.push_back({.from = arguments.at("from").get<std::int64_t>(),
                               .to = arguments.at("to").get<std::int64_t>(),
                               .begin = begin,
                               .end = end,
                               .bytes = arguments.at("bytes").get<double>()});
    return;
  }
  const std::string name = event.at("name").get<std::string>();
  const auto worker = names.worker_of(event.at("tid").get<std::int64_t>());
  if (worker && !is_of_a_task(name))
    trace.life.push_back({.worker = *worker, .begin = begin, .end = end, .what = name});
}

Trace trace_of(const nlohmann::json& json) {
  Trace trace;
  TrackNames names;
  double last = 0;
  for (const nlohmann::json& event : json.at("traceEvents")) {
    const std::string kind = event.at("ph").get<std::string>();
    if (kind == "M" && event.at("args").contains("name")) names.add(event, trace);
    if (kind != "X") continue;
    add_slice(event, names, trace);
    last = std::max(last, event.at("ts").get<double>() * kMicroseconds);
  }
  if (json.at("otherData").at("left_out").get<std::int64_t>() > 0) trace.life_until = trace.transfers_until = last;
  return trace;
}

std::vector<TransferRow> read_transfers(const std::filesystem::path& file) {
  CsvFile<6> csv(file, {"event", "node", "peer", "begin_s", "time_s", "bytes"});
  std::vector<TransferRow> rows;
  while (csv.next()) {
    if (csv[0].content != "transfer") continue;
    rows.push_back({.from = csv[2].integer(),
                    .to = csv[1].integer(),
                    .begin = csv[3].number(),
                    .end = csv[4].number(),
                    .bytes = csv[5].number()});
  }
  return rows;
}

}  // namespace

bool Trace::between_sites(const TransferRow& transfer) const {
  return nodes.at(transfer.from).site != nodes.at(transfer.to).site;
}

Trace read_trace(const std::filesystem::path& folder) {
  const auto file = folder / "trace.json";
  if (!std::filesystem::exists(file)) return {.life_until = 0, .transfers_until = 0};
  Trace trace;
  try {
    trace = trace_of(read_json_object(file));
  } catch (const nlohmann::json::exception&) {
    throw DataError(file.string() + ":1: no trace of a run; let the run write its folder again");
  }
  if (trace.transfers_until && std::filesystem::exists(folder / "events.csv")) {
    trace.transfers = read_transfers(folder / "events.csv");
    trace.transfers_until = std::nullopt;
  }
  std::erase_if(trace.transfers, [&](const TransferRow& row) {
    return !trace.nodes.contains(row.from) || !trace.nodes.contains(row.to);
  });
  return trace;
}

}  // namespace dipaco::analysis

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/cost_tables.hpp"
#include "analysis/report.hpp"
#include "analysis/summary_rows.hpp"
#include "analysis/wait_tables.hpp"

namespace dipaco::analysis {
namespace {

constexpr std::size_t kSlowest = 5;
constexpr std::size_t kMostRows = 12;

Value count(std::int64_t number) { return {Unit::count, static_cast<double>(number)}; }
Value count(std::optional<std::int64_t> number) { return number ? count(*number) : Value{Unit::count, std::nullopt}; }
Value share(double part, double all) { return {Unit::share, all > 0 ? std::optional(part / all) : std::nullopt}; }

Table summary_table(const Run& run) {
  Table table{"summary", run.text("run").value_or("Run") + " (" + run.folder + ")", {{"what", ""}, {"value", ""}}, {}};
  for (const SummaryRow& row : summary_rows()) {
    Value value = row.value(run);
    if (value.number || !value.words.empty()) table.rows.push_back({row.name, std::move(value)});
  }
  return table;
}

void append_site(Table& table, const std::string& site, const WorkerRow& sum, std::int64_t workers) {
  table.rows.push_back({site,
                        count(workers),
                        share(sum.compute, sum.up),
                        share(sum.transfer, sum.up),
                        share(sum.wait, sum.up),
                        share(sum.lost, sum.up),
                        share(sum.evaluate, sum.up),
                        {Unit::seconds, sum.up}});
}

Table worker_time_table(const Run& run) {
  Table table{"worker_time",
              "Where the workers' time went",
              {{"site", "site"},
               {"workers", "workers"},
               {"compute_share", "compute"},
               {"transfer_share", "transfer"},
               {"wait_share", "wait"},
               {"lost_share", "lost"},
               {"evaluate_share", "evaluate"},
               {"up_s", "time up"}},
              {}};
  std::map<std::string, std::pair<WorkerRow, std::int64_t>> sites;
  std::pair<WorkerRow, std::int64_t> all;
  for (const WorkerRow& worker : run.workers) {
    for (auto* sum : {&sites[worker.site], &all}) {
      sum->first.up += worker.up;
      sum->first.compute += worker.compute;
      sum->first.lost += worker.lost;
      sum->first.evaluate += worker.evaluate;
      sum->first.transfer += worker.transfer;
      sum->first.wait += worker.wait;
      ++sum->second;
    }
  }
  for (const auto& [site, sum] : sites) append_site(table, site, sum.first, sum.second);
  if (sites.size() > 1) append_site(table, "all", all.first, all.second);
  return table;
}

/// A row of the stages' table; `times` in any order.
void append_stage(Table& table, const std::string& stage, std::vector<double> times) {
  if (times.empty()) return;
  std::sort(times.begin(), times.end());
  double sum = 0;
  for (const double time : times) sum += time;
  const auto at = [&](double part) {  // nearest rank
    const double rank = std::ceil(part * static_cast<double>(times.size()));
    return Value{Unit::seconds, times[static_cast<std::size_t>(rank) - 1]};
  };
  table.rows.push_back({stage, {Unit::seconds, sum / static_cast<double>(times.size())}, at(0.5), at(0.95), at(1)});
}

Table stages_table(const Run& run) {
  Table table{
      "task_stages",
      "Stages of the tasks that were completed",
      {{"stage", "stage"}, {"mean_s", "mean"}, {"median_s", "median"}, {"p95_s", "95 %"}, {"longest_s", "longest"}},
      {}};
  std::vector<double> queue, gather, inner, store;
  const auto keep = [](std::vector<double>& times, std::optional<double> begin, std::optional<double> end) {
    if (begin && end) times.push_back(*end - *begin);
  };
  for (const TaskRow& task : run.tasks) {
    if (task.end != "committed") continue;
    keep(queue, task.queued, task.assigned);
    keep(gather, task.assigned, task.started);
    keep(inner, task.started, task.computed);
    keep(store, task.computed, task.ended);
  }
  append_stage(table, "in the queue", std::move(queue));
  append_stage(table, "gather modules", std::move(gather));
  append_stage(table, "inner steps", std::move(inner));
  append_stage(table, "store", std::move(store));
  return table;
}

Table slowest_table(const Run& run) {
  Table table{"slowest_outer_steps",
              "Slowest outer steps",
              {{"outer_step", "step"},
               {"begin_s", "begin"},
               {"duration_s", "duration"},
               {"inner_steps_s", "worker time"},
               {"tasks_requeued", "requeued"},
               {"last_path", "last path"},
               {"last_worker", "by worker"}},
              {}};
  std::vector<OuterStepRow> steps = run.outer_steps;
  std::erase_if(steps, [](const OuterStepRow& step) { return !step.duration; });
  std::stable_sort(steps.begin(), steps.end(),
                   [](const OuterStepRow& a, const OuterStepRow& b) { return *a.duration > *b.duration; });
  for (std::size_t i = 0; i < std::min(kSlowest, steps.size()); ++i) {
    const OuterStepRow& step = steps[i];
    table.rows.push_back({count(step.outer_step),
                          {Unit::seconds, step.begin},
                          {Unit::seconds, step.duration},
                          {Unit::seconds, step.inner_steps_s},
                          count(step.tasks_requeued),
                          count(step.last_path),
                          count(step.last_worker)});
  }
  return table;
}

Table sites_table(const Run& run) {
  Table table{"between_sites",
              "Bytes within and between sites",
              {{"from", "from"}, {"to", "to"}, {"bytes", "bytes"}, {"share", "share"}},
              {}};
  std::vector<LinkRow> rows = run.links;
  std::erase_if(rows, [](const LinkRow& row) { return row.kind != "sites"; });
  std::stable_sort(rows.begin(), rows.end(), [](const LinkRow& a, const LinkRow& b) { return a.bytes > b.bytes; });
  double all = 0;
  for (const LinkRow& row : rows) all += row.bytes;
  for (std::size_t i = 0; i < std::min(kMostRows, rows.size()); ++i) {
    table.rows.push_back({rows[i].from_site, rows[i].to_site, {Unit::bytes, rows[i].bytes}, share(rows[i].bytes, all)});
  }
  return table;
}

Table links_table(const Run& run) {
  Table table{"links",
              "Busiest links",
              {{"link", "link"},
               {"bytes", "bytes"},
               {"bandwidth_bytes_per_s", "bandwidth"},
               {"mean_use", "mean use"},
               {"peak_use", "peak use"}},
              {}};
  std::vector<LinkRow> rows = run.links;
  std::erase_if(rows, [](const LinkRow& row) { return row.kind != "link" || row.bytes <= 0; });
  std::stable_sort(rows.begin(), rows.end(),
                   [](const LinkRow& a, const LinkRow& b) { return a.mean_use.value_or(0) > b.mean_use.value_or(0); });
  for (std::size_t i = 0; i < std::min(kMostRows, rows.size()); ++i) {
    const LinkRow& row = rows[i];
    table.rows.push_back({row.link,
                          {Unit::bytes, row.bytes},
                          {Unit::bytes_per_second, row.bandwidth},
                          {Unit::share, row.mean_use},
                          {Unit::share, row.peak_use}});
  }
  return table;
}

Table kinds_table(const Run& run) {
  Table table{"message_kinds",
              "Bytes by kind of message",
              {{"kind", "kind"}, {"bytes", "bytes"}, {"share", "share"}, {"messages", "messages"}},
              {}};
  const auto kinds = message_kinds(run);
  double all = 0;
  for (const auto& [kind, bytes] : kinds) all += bytes;
  for (const auto& [kind, bytes] : kinds) {
    table.rows.push_back(
        {kind, {Unit::bytes, bytes}, share(bytes, all), {Unit::count, run.number("messages_" + kind)}});
  }
  return table;
}

Table loss_table(const Run& run) {
  Table table{"loss", "Training loss by outer step", {{"outer_step", "outer step"}, {"loss", "loss"}, {"bar", ""}}, {}};
  constexpr double kBar = 30;
  double highest = 0;
  for (const OuterStepRow& step : run.outer_steps) highest = std::max(highest, step.loss.value_or(0));
  for (const OuterStepRow& step : picked(run.outer_steps)) {
    if (!step.loss) continue;
    const auto length = highest > 0 ? std::max(0L, std::lround(kBar * *step.loss / highest)) : 0;
    table.rows.push_back(
        {count(step.outer_step), {Unit::number, step.loss}, std::string(static_cast<std::size_t>(length), '#')});
  }
  return table;
}

}  // namespace

std::vector<OuterStepRow> picked(const std::vector<OuterStepRow>& steps) {
  if (steps.size() <= kMostRows) return steps;
  std::vector<OuterStepRow> few;
  for (std::size_t i = 0; i < kMostRows; ++i) few.push_back(steps[i * (steps.size() - 1) / (kMostRows - 1)]);
  return few;
}

std::vector<Table> run_tables(const Run& run) {
  std::vector<Table> tables{summary_table(run),    worker_time_table(run), critical_path_table(run), last_table(run),
                            last_sites_table(run), last_causes_table(run), stages_table(run),        slowest_table(run),
                            loss_table(run),       site_costs_table(run),  machine_costs_table(run), sites_table(run),
                            links_table(run),      kinds_table(run)};
  std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
  return tables;
}

}  // namespace dipaco::analysis

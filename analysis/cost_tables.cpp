#include "analysis/cost_tables.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace dipaco::analysis {
namespace {

constexpr std::size_t kMostMachines = 12;

void add(std::optional<double>& sum, const std::optional<double>& part) {
  if (part) sum = sum.value_or(0) + *part;
}

/// One site, or all of them.
struct SiteCosts {
  double machines = 0;
  std::optional<double> machine_usd;
  std::optional<double> egress_usd;
  std::optional<double> energy_usd;
  std::optional<double> kwh;

  std::optional<double> usd() const {
    std::optional<double> sum;
    for (const auto& part : {machine_usd, egress_usd, energy_usd}) add(sum, part);
    return sum;
  }
};

std::vector<Value> row_of(const std::string& site, const SiteCosts& costs) {
  return {site,
          {Unit::count, costs.machines > 0 ? std::optional(costs.machines) : std::nullopt},
          {Unit::amount, costs.usd()},
          {Unit::amount, costs.machine_usd},
          {Unit::amount, costs.egress_usd},
          {Unit::amount, costs.energy_usd},
          {Unit::amount, costs.kwh}};
}

Table without_empty_columns(Table table) {
  for (std::size_t column = table.columns.size(); column-- > 0;) {
    const auto empty = [&](const std::vector<Value>& row) { return row[column].words.empty() && !row[column].number; };
    if (!std::all_of(table.rows.begin(), table.rows.end(), empty)) continue;
    const auto at = static_cast<std::ptrdiff_t>(column);
    table.columns.erase(table.columns.begin() + at);
    for (auto& row : table.rows) row.erase(row.begin() + at);
  }
  return table;
}

}  // namespace

Table site_costs_table(const Run& run) {
  Table table{"site_costs",
              "What the sites cost, egress by the site that sends",
              {{"site", "site"},
               {"machines", "machines"},
               {"usd", "USD"},
               {"machine_usd", "for machines"},
               {"egress_usd", "for egress"},
               {"energy_usd", "for energy"},
               {"kwh", "kWh"}},
              {}};
  std::map<std::string, SiteCosts> sites;
  SiteCosts all;
  for (const MachineRow& machine : run.machines) {
    for (SiteCosts* const costs : {&sites[machine.site], &all}) {
      ++costs->machines;
      add(costs->machine_usd, machine.usd);
      add(costs->energy_usd, machine.energy_usd);
      add(costs->kwh, machine.kwh);
    }
  }
  for (const EgressRow& row : run.egress) {
    add(sites[row.from_site].egress_usd, row.usd);
    add(all.egress_usd, row.usd);
  }
  for (const auto& [site, costs] : sites) table.rows.push_back(row_of(site, costs));
  if (sites.size() > 1) table.rows.push_back(row_of("all", all));
  return without_empty_columns(std::move(table));
}

Table machine_costs_table(const Run& run) {
  Table table{"machine_costs",
              "Machines that cost most",
              {{"machine", "machine"},
               {"site", "site"},
               {"billed_s", "billed"},
               {"busy_s", "busy"},
               {"machine_usd", "USD"},
               {"energy_usd", "for energy"},
               {"kwh", "kWh"}},
              {}};
  std::vector<MachineRow> rows = run.machines;
  const auto costs = [](const MachineRow& row) { return row.usd.value_or(row.kwh.value_or(0)); };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const MachineRow& a, const MachineRow& b) { return costs(a) > costs(b); });
  rows.resize(std::min(rows.size(), kMostMachines));
  for (const MachineRow& row : rows) {
    table.rows.push_back({row.machine,
                          row.site,
                          {Unit::seconds, row.billed},
                          {Unit::seconds, row.busy},
                          {Unit::amount, row.usd},
                          {Unit::amount, row.energy_usd},
                          {Unit::amount, row.kwh}});
  }
  return without_empty_columns(std::move(table));
}

}  // namespace dipaco::analysis

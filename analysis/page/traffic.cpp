#include "analysis/page/traffic.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "analysis/page/time_cells.hpp"
#include "core/base/text.hpp"

namespace dipaco::analysis {
namespace {

constexpr std::size_t kColours = 8;
constexpr std::size_t kMostPairs = kColours - 1;  // beside all others

using SitePair = std::pair<std::string, std::string>;

/// Bytes a second in each cell.
using Rates = std::vector<double>;

void spread(const TransferRow& row, const TimeCells& cells, Rates& rates) {
  const double length = std::max(row.end - row.begin, 1e-9);
  cells.part(row.begin, row.begin + length,
             [&](std::size_t cell, double seconds) { rates[cell] += row.bytes * seconds / length / cells.width(); });
}

double sum_of(const Rates& rates) { return std::accumulate(rates.begin(), rates.end(), 0.0); }

/// Those that sent most first.
std::vector<std::pair<SitePair, Rates>> rates_by_pair(const Trace& trace, const TimeCells& cells) {
  std::map<SitePair, Rates> pairs;
  for (const TransferRow& row : trace.transfers) {
    if (!trace.between_sites(row)) continue;
    auto& rates = pairs[{trace.nodes.at(row.from).site, trace.nodes.at(row.to).site}];
    rates.resize(cells.count(), 0);
    spread(row, cells, rates);
  }
  std::vector<std::pair<SitePair, Rates>> order(pairs.begin(), pairs.end());
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return sum_of(a.second) > sum_of(b.second); });
  return order;
}

std::string rates_note() {
  return "Messages with parameters, optimiser state or outer gradients, each spread evenly over its time; each point "
         "is the mean of a stretch of 1/" +
         std::to_string(kChartCells) + " of the run.";
}

/// In a stretch without a row nothing crossed the link. REQUIRES stretches in time's order, and a point at 0
void add_stretch(ChartSeries& series, const LinkStretchRow& row) {
  if (row.begin > series.x.back()) {
    series.x.push_back(row.begin);
    series.y.push_back(0);
  }
  series.y.back() = row.use;
  series.x.push_back(row.end);
  series.y.push_back(0);
}

constexpr const char* kUseNote =
    "Messages above 64 KiB that came whole, each spread evenly over its flow; links_over_time.csv has the 32 busiest "
    "links.";

}  // namespace

BytesSoFar::BytesSoFar(const Trace& trace) {
  std::vector<std::pair<double, double>> ends;
  for (const TransferRow& row : trace.transfers) {
    if (trace.between_sites(row)) ends.emplace_back(row.end, row.bytes);
  }
  std::ranges::sort(ends);
  double sum = 0;
  for (const auto& [time, bytes] : ends) {
    sum += bytes;
    times_.push_back(time);
    sums_.push_back(sum);
  }
}

double BytesSoFar::at(double time) const {
  const auto next = std::ranges::upper_bound(times_, time);
  return next == times_.begin() ? 0 : sums_[static_cast<std::size_t>(next - times_.begin()) - 1];
}

ChartSeries BytesSoFar::curve() const {
  ChartSeries series;
  series.x.push_back(0);
  series.y.push_back(0);
  series.x.insert(series.x.end(), times_.begin(), times_.end());
  series.y.insert(series.y.end(), sums_.begin(), sums_.end());
  return series;
}

std::string how_far_known(const std::optional<double>& until) {
  if (!until) return "";
  if (*until <= 0) return "There is no trace.json, which would say when transfers took place.";
  return "Known up to " + human_seconds(Seconds(*until)) + ": trace.json was cut there, and there is no events.csv.";
}

Chart site_rates_chart(const Trace& trace, double duration, const ChartAxis& time) {
  Chart chart{.id = "site_rates",
              .title = "What went from site to site, over time",
              .kind = ChartKind::lines,
              .x = time,
              .y = {"bytes a second", Unit::bytes_per_second},
              .series = {},
              .note = rates_note()};
  add_sentence(chart.note, how_far_known(trace.transfers_until));
  if (duration <= 0) return chart;
  const TimeCells cells(duration, kChartCells);
  const auto order = rates_by_pair(trace, cells);
  const auto middles = cells.middles();
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto& [pair, rates] = order[k];
    if (k < kMostPairs || order.size() == kMostPairs + 1) {
      chart.series.push_back({.name = pair.first + " to " + pair.second, .colour = k, .x = middles, .y = rates});
      continue;
    }
    if (k == kMostPairs) {
      const std::string name = std::to_string(order.size() - k) + " others together";
      chart.series.push_back({.name = name, .colour = k, .x = middles, .y = Rates(cells.count(), 0), .dashed = true});
    }
    for (std::size_t i = 0; i < cells.count(); ++i) chart.series.back().y[i] += rates[i];
  }
  return chart;
}

Chart link_use_chart(const Run& run, const ChartAxis& time) {
  Chart chart{.id = "link_use",
              .title = "How full the busiest network links are, over time",
              .kind = ChartKind::steps,
              .x = time,
              .y = {"share of the bandwidth", Unit::share},
              .series = {},
              .note = kUseNote};
  for (const LinkStretchRow& row : run.links_over_time) {
    if (chart.series.empty() || chart.series.back().name != row.link) {
      if (chart.series.size() == kColours) break;
      chart.series.push_back({.name = row.link, .colour = chart.series.size(), .x = {0}, .y = {0}});
    }
    add_stretch(chart.series.back(), row);
  }
  return chart;
}

}  // namespace dipaco::analysis

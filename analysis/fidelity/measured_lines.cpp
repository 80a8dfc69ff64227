#include "analysis/fidelity/measured_lines.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace dipaco::analysis {
namespace {

/// The lower one of an even number.
double median_over_runs(std::vector<double> values) {
  const auto at = values.begin() + (std::ssize(values) - 1) / 2;
  std::ranges::nth_element(values, at);
  return *at;
}

struct Figures {
  std::vector<double> rates;
  std::vector<double> spreads;
  std::vector<double> messages;
};

}  // namespace

std::vector<MeasuredLine> measured_lines(std::span<const Run> runs) {
  std::map<std::pair<std::string, std::string>, Figures> all;
  for (const Run& run : runs) {
    for (const LinkRow& row : run.links) {
      if (!row.line_rate || !row.line_spread || !row.line_message) continue;
      Figures& figures = all[{row.from_site, row.to_site}];
      figures.rates.push_back(*row.line_rate);
      figures.spreads.push_back(*row.line_spread);
      figures.messages.push_back(*row.line_message);
    }
  }
  std::vector<MeasuredLine> lines;
  for (const auto& [ways, figures] : all) {
    lines.push_back({ways.first, ways.second, median_over_runs(figures.rates), median_over_runs(figures.spreads),
                     median_over_runs(figures.messages)});
  }
  return lines;
}

}  // namespace dipaco::analysis

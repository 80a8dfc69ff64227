#include "analysis/fidelity/measured_lines.hpp"

#include <map>
#include <utility>

#include "analysis/fidelity/middle.hpp"

namespace dipaco::analysis {
namespace {

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
    lines.push_back(
        {ways.first, ways.second, middle(figures.rates), middle(figures.spreads), middle(figures.messages)});
  }
  return lines;
}

}  // namespace dipaco::analysis

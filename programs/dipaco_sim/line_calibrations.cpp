#include "programs/dipaco_sim/line_calibrations.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "analysis/fidelity/measured_lines.hpp"
#include "backends/sim/engine/known_lines.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

/// Less is noise of what was measured.
constexpr double kLeastSpread = 1e-3;

struct LinkFigures {
  double bandwidth = 0;
  const analysis::MeasuredLine* line = nullptr;
};

std::optional<SiteId> site_named(const Placement& placement, const std::string& name) {
  const auto site = std::ranges::find(placement.sites, name);
  if (site == placement.sites.end()) return std::nullopt;
  return SiteId{static_cast<std::int32_t>(site - placement.sites.begin())};
}

/// Whether the scenario says itself how the link's bandwidth varies.
bool varies(const LoadedScenario& loaded, const std::string& link) {
  return loaded.link_rates.contains(link) ||
         std::ranges::any_of(loaded.file.elements(), [&](const ScenarioElement& element) {
           const bool its = link == element.id() || link.starts_with(element.id() + "_");
           return element.kind == "link" && its && !element.attribute("bandwidth_file").empty();
         });
}

/// By link; of several lines over one link the one that got most, as what they share cannot carry less.
std::map<std::string, LinkFigures> by_link(const LoadedScenario& loaded,
                                           const std::vector<analysis::MeasuredLine>& lines) {
  const auto narrow = narrow_links(loaded.placement);
  std::map<std::string, LinkFigures> links;
  for (const analysis::MeasuredLine& line : lines) {
    const auto from = site_named(loaded.placement, line.from);
    const auto to = site_named(loaded.placement, line.to);
    const auto found = from && to ? narrow.find({*from, *to}) : narrow.end();
    if (found == narrow.end() || varies(loaded, found->second.name)) continue;
    const double got = found->second.bandwidth.value * std::min(1.0, line.rate / found->second.alone.value);
    LinkFigures& link = links[found->second.name];
    if (got > link.bandwidth) link = {got, &line};
  }
  return links;
}

}  // namespace

std::vector<Calibration> line_calibrations(const LoadedScenario& loaded, std::span<const analysis::Run> runs,
                                           const std::string& named) {
  const auto lines = analysis::measured_lines(runs);
  std::vector<Calibration> all;
  for (const auto& [name, link] : by_link(loaded, lines)) {
    const std::string source = " large messages from " + link.line->from + " to " + link.line->to + ", in " + named;
    all.push_back({"link:" + name, "bandwidth", format_fixed(link.bandwidth, 0) + "Bps", "what was left to" + source});
    if (link.line->spread < kLeastSpread) continue;
    all.push_back(
        {"link:" + name, "jitter",
         format_number(std::min(link.line->spread, 1.0)) + " every " + format_number(link.line->message) + "s",
         "the spread of that, and the time of one, of" + source});
  }
  return all;
}

}  // namespace dipaco

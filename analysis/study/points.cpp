#include "analysis/study/points.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace dipaco::analysis {

std::vector<SweptPoint> points_of(const std::vector<SweptRun>& runs) {
  std::vector<SweptPoint> points;
  std::map<std::vector<std::string>, std::size_t> places;
  for (const SweptRun& run : runs) {
    const auto [place, is_new] = places.try_emplace(run.point, points.size());
    if (is_new) points.push_back({run.point, {}});
    points[place->second].runs.push_back(&run);
  }
  return points;
}

std::optional<Spread> spread_at(const SweptPoint& point, const std::string& key) {
  std::vector<double> values;
  for (const SweptRun* const run : point.runs) {
    const auto found = run->summary.find(key);
    if (found != run->summary.end() && found->is_number()) values.push_back(found->get<double>());
  }
  return values.empty() ? std::nullopt : std::optional(spread_of(std::move(values)));
}

}  // namespace dipaco::analysis

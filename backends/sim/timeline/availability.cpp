#include "backends/sim/timeline/availability.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "backends/sim/timeline/step_file.hpp"
#include "core/base/text.hpp"

namespace dipaco {

std::vector<AvailabilityStep> read_availability(const std::filesystem::path& csv) {
  std::vector<AvailabilityStep> steps;
  read_steps({.csv = csv,
              .name = "available",
              .row = "300,4",
              .empty = "how many machines are available, 0 where none is",
              .row_means = "a time in seconds and a count: 0,4"},
             [&](Seconds time, const std::string& cell) -> std::string {
               const auto machines = parse_integer(cell);
               if (!machines || *machines < 0) {
                 return "the count \"" + cell + "\" is no whole number from 0; write how many machines are available";
               }
               steps.push_back({time, *machines});
               return "";
             });
  return steps;
}

std::vector<AvailabilityStep> scaled(std::vector<AvailabilityStep> steps, double time, double machines) {
  constexpr double kMost = 1e15;  // more machines than any zone has, and still a whole number
  for (AvailabilityStep& step : steps) {
    step.time *= time;
    const double count = std::floor(static_cast<double>(step.machines) * machines + 0.5);
    step.machines = static_cast<std::int64_t>(std::min(count, kMost));
  }
  return steps;
}

std::vector<AvailabilityStep> begun_at(const std::vector<AvailabilityStep>& steps, Seconds offset, bool repeat) {
  if (offset <= Seconds(0)) return steps;
  const auto later = std::ranges::upper_bound(steps, offset, {}, &AvailabilityStep::time);
  std::vector<AvailabilityStep> begun{{Seconds(0), std::prev(later)->machines}};
  for (auto step = later; step != steps.end(); ++step) begun.push_back({step->time - offset, step->machines});
  if (!repeat) return begun;
  begun.back().machines = steps.front().machines;  // at the end the trace begins again
  for (auto step = std::next(steps.begin()); step != later; ++step) {
    begun.push_back({step->time + (steps.back().time - offset), step->machines});
  }
  return begun;
}

}  // namespace dipaco

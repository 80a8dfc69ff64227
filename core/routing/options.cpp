#include "core/routing/options.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {

namespace {

/// The number of paths at the begin and at the end of a part of the run.
struct Ramp {
  std::int64_t from = 0;
  std::int64_t to = 0;
};

std::optional<Ramp> ramp_of(std::string_view part) {
  const std::size_t dots = part.find("..");
  const auto from = parse_integer(part.substr(0, dots));
  const auto to = dots == std::string_view::npos ? from : parse_integer(part.substr(dots + 2));
  return from && to ? std::optional(Ramp{*from, *to}) : std::nullopt;
}

/// @param step  of the part's outer steps, counted from 0
std::int32_t paths_at(const Ramp& ramp, std::int64_t step, std::int64_t steps) {
  if (steps == 1) return static_cast<std::int32_t>(ramp.to);
  const double share = static_cast<double>(step) / static_cast<double>(steps - 1);
  const double exact = static_cast<double>(ramp.from) + share * static_cast<double>(ramp.to - ramp.from);
  return static_cast<std::int32_t>(std::lround(exact));
}

}  // namespace

std::vector<std::int64_t> reshard_steps(const RoutingOptions& options) {
  std::vector<std::int64_t> steps;
  if (options.reshard_at.empty()) return steps;
  for (const auto& word : split(options.reshard_at, ',')) {
    const auto step = parse_integer(word);
    if (!step || *step < 1 || (!steps.empty() && *step <= steps.back())) {
      throw ConfigError("\"" + options.reshard_at +
                        "\" is no list of outer steps; write ascending integers of at least 1, such as 4 or 4,8");
    }
    steps.push_back(*step);
  }
  return steps;
}

std::int32_t drawn_paths(const RoutingOptions& options, std::int32_t paths) {
  return std::max(1, static_cast<std::int32_t>(std::lround(options.sample_paths * paths)));
}

std::vector<std::int32_t> active_paths(const RoutingOptions& options, std::int64_t outer_steps, std::int32_t paths) {
  std::vector<std::int32_t> counts;
  if (options.active_paths.empty()) return counts;
  const auto parts = split(options.active_paths, ',');
  const auto count = static_cast<std::int64_t>(parts.size());
  for (std::int64_t k = 0; k < count; ++k) {
    const auto ramp = ramp_of(parts[static_cast<std::size_t>(k)]);
    const auto fits = [&](std::int64_t number) { return number >= 1 && number <= paths; };
    if (!ramp || !fits(ramp->from) || !fits(ramp->to) || count > outer_steps) {
      throw ConfigError("\"" + options.active_paths +
                        "\" is no list of how many paths train; write numbers from 1 to " + std::to_string(paths) +
                        ", the paths that there are, such as 1,2 or 1..2, at most " + std::to_string(outer_steps) +
                        " of them, as many as outer steps");
    }
    const std::int64_t begin = k * outer_steps / count;
    const std::int64_t end = (k + 1) * outer_steps / count;
    for (std::int64_t step = begin; step < end; ++step) counts.push_back(paths_at(*ramp, step - begin, end - begin));
  }
  return counts;
}

std::int64_t all_tasks(const RoutingOptions& options, std::int64_t outer_steps, std::int32_t paths) {
  const auto counts = active_paths(options, outer_steps, paths);
  if (counts.empty()) return outer_steps * drawn_paths(options, paths);
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

}  // namespace dipaco

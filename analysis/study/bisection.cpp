#include "analysis/study/bisection.hpp"

#include <algorithm>
#include <set>

namespace dipaco::analysis {

std::optional<std::size_t> Bisection::last_failing() const {
  for (auto one = tried_.rbegin(); one != tried_.rend(); ++one) {
    if (!one->second) return one->first;
  }
  return std::nullopt;
}

std::vector<std::size_t> Bisection::next(std::size_t at_once) const {
  constexpr std::size_t kFirst = 5;
  std::set<std::size_t> wanted;
  for (std::size_t k = 0; k < kFirst; ++k) wanted.insert(k * (values_ - 1) / (kFirst - 1));
  std::erase_if(wanted, [&](std::size_t value) { return tried_.contains(value); });
  if (wanted.empty()) {
    const auto failing = last_failing();
    if (!failing || *failing + 1 >= values_) return {};
    const std::size_t holding = tried_.upper_bound(*failing)->first;
    const std::size_t between = holding - *failing - 1;
    const std::size_t count = std::min(between, std::max<std::size_t>(at_once, 1));
    for (std::size_t k = 1; k <= count; ++k) wanted.insert(*failing + k * (between + 1) / (count + 1));
    wanted.erase(*failing);
  }
  std::vector<std::size_t> next(wanted.begin(), wanted.end());
  if (next.size() > std::max<std::size_t>(at_once, 1)) next.resize(std::max<std::size_t>(at_once, 1));
  return next;
}

std::optional<std::size_t> Bisection::answer() const {
  const auto failing = last_failing();
  if (!failing) return 0;
  return *failing + 1 < values_ ? std::optional(*failing + 1) : std::nullopt;
}

std::vector<std::size_t> Bisection::contradicting() const {
  std::vector<std::size_t> before;
  const auto failing = last_failing();
  for (const auto& [value, holds] : tried_) {
    if (failing && value < *failing && holds) before.push_back(value);
  }
  return before;
}

}  // namespace dipaco::analysis

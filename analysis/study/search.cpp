#include "analysis/study/search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/error.hpp"

namespace dipaco::analysis {
namespace {

/// The best so many have their neighbours tried.
constexpr std::size_t kBeam = 5;
constexpr std::size_t kMostFinalists = 10;
/// Of the runs, so many at least are for points spread over the grid, before any neighbour is tried.
constexpr std::size_t kSpreadPart = 4;
/// Of the runs, so many at most are for the finalists' other seeds.
constexpr std::size_t kFinalPart = 3;

/// Steps of this size come to every point of a ring, each far from those before (the golden ratio).
std::size_t step_of(std::size_t points) {
  constexpr double kGolden = 0.6180339887498949;
  auto step = std::max<std::size_t>(static_cast<std::size_t>(std::llround(kGolden * static_cast<double>(points))), 1);
  while (std::gcd(step, points) != 1) ++step;
  return step;
}

std::vector<std::size_t> sorted(const std::map<std::size_t, Standing>& standings) {
  std::vector<std::size_t> points;
  for (const auto& [point, standing] : standings) points.push_back(point);
  std::ranges::stable_sort(points, [&](std::size_t a, std::size_t b) { return standings.at(a) < standings.at(b); });
  return points;
}

}  // namespace

Search::Search(std::vector<std::size_t> sizes, std::size_t seeds, std::size_t most_runs)
    : sizes_(std::move(sizes)), seeds_(seeds), most_(most_runs) {
  check(seeds_ > 0 && most_ >= seeds_, "a point can be run with all its seeds");
  for (const std::size_t size : sizes_) points_ *= size;
  const std::size_t others = seeds_ - 1;
  finalists_ = others == 0 ? 1 : std::clamp<std::size_t>(most_ / (kFinalPart * others), 1, kMostFinalists);
}

/// Runs that may still be asked for before the finalists are chosen.
std::size_t Search::left() const {
  const std::size_t kept = finalists_ * (seeds_ - 1);
  return most_ > runs_ + kept ? most_ - runs_ - kept : 0;
}

std::vector<std::size_t> Search::spread(std::size_t count) {
  std::vector<std::size_t> found;
  for (; found.size() < count && spread_ < points_; ++spread_) {
    const std::size_t point = (points_ / 2 + spread_ * step_of(points_)) % points_;
    if (!once_.contains(point)) found.push_back(point);
  }
  return found;
}

void Search::add_beside(std::size_t point, bool any_value, std::vector<std::size_t>& found) const {
  std::size_t stride = points_;
  for (const std::size_t size : sizes_) {
    stride /= size;
    const std::size_t value = point / stride % size;
    for (std::size_t other = 0; other < size; ++other) {
      const std::size_t apart = other > value ? other - value : value - other;
      const std::size_t beside = point - value * stride + other * stride;
      const bool wanted = apart > 0 && (any_value || apart == 1) && !once_.contains(beside);
      if (wanted && std::ranges::find(found, beside) == found.end()) found.push_back(beside);
    }
  }
}

std::vector<std::size_t> Search::beside_the_best() const {
  std::vector<std::size_t> found;
  const auto order = sorted(once_);
  for (std::size_t k = 0; k < std::min(kBeam, order.size()); ++k) add_beside(order[k], k == 0, found);
  return found;
}

std::vector<Search::Trial> Search::ask(const std::vector<std::size_t>& points, std::size_t seeds) {
  std::vector<Trial> trials;
  for (const std::size_t point : points) {
    trials.push_back({point, seeds});
    runs_ += seeds - (once_.contains(point) ? 1 : 0);
  }
  return trials;
}

std::vector<Search::Trial> Search::next() {
  if (stage_ == Stage::spread) {
    const std::size_t first = std::max(left() / kSpreadPart, 2 * sizes_.size() + 1);
    stage_ = Stage::climb;
    return ask(spread(std::min(first, left())), 1);
  }
  if (stage_ == Stage::climb) {
    std::vector<std::size_t> more = beside_the_best();
    if (more.empty()) more = spread(std::max<std::size_t>(left() / kSpreadPart, 1));
    more.resize(std::min(more.size(), left()));
    if (!more.empty()) return ask(more, 1);
    stage_ = Stage::final;
  }
  if (stage_ == Stage::final) {
    stage_ = Stage::over;
    auto order = sorted(once_);
    order.resize(std::min(order.size(), finalists_));
    return ask(order, seeds_);
  }
  return {};
}

void Search::tried(const Trial& trial, const Standing& standing) {
  if (trial.seeds == seeds_) whole_[trial.point] = standing;
  if (trial.seeds == 1) once_[trial.point] = standing;
}

std::vector<std::size_t> Search::finalists() const { return sorted(whole_); }

std::vector<std::size_t> Search::ranked() const { return sorted(once_); }

}  // namespace dipaco::analysis

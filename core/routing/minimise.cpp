#include "core/routing/minimise.hpp"

#include <cmath>
#include <cstddef>
#include <deque>
#include <utility>

#include "core/routing/dot.hpp"

namespace dipaco {
namespace {

using Vector = std::vector<double>;

constexpr std::size_t kRemembered = 10;

void add_scaled(Vector& to, double factor, const Vector& other) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * other[i];
}

/// A step in x and what it changed in the gradient.
struct Step {
  Vector moved;
  Vector changed;
  double curvature = 0;  ///< moved . changed
};

/// The direction to go from a point with this gradient.
Vector direction(const std::deque<Step>& steps, const Vector& gradient, const MinimiseOptions& options) {
  Vector q = gradient;
  std::vector<double> factors(steps.size());
  for (std::size_t i = steps.size(); i-- > 0;) {
    factors[i] = dot(steps[i].moved, q) / steps[i].curvature;
    add_scaled(q, -factors[i], steps[i].changed);
  }
  Vector out = options.metric(q);
  double scale = -1;
  if (!steps.empty()) {  // the metric's scale is that of the last step
    scale = -steps.back().curvature / dot(steps.back().changed, options.metric(steps.back().changed));
  }
  for (double& value : out) value *= scale;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    add_scaled(out, -factors[i] - dot(steps[i].changed, out) / steps[i].curvature, steps[i].moved);
  }
  return out;
}

void remember(std::deque<Step>& steps, Step step) {
  step.curvature = dot(step.moved, step.changed);
  constexpr double kFlat = 1e-10;  // rounding alone
  const double most = std::sqrt(dot(step.moved, step.moved) * dot(step.changed, step.changed));
  if (!(step.curvature > kFlat * most)) return;
  steps.push_back(std::move(step));
  if (steps.size() > kRemembered) steps.pop_front();
}

struct Point {
  Vector x;
  Vector gradient;
  double value = 0;
};

Vector difference(const Vector& a, const Vector& b) {
  Vector out = a;
  add_scaled(out, -1, b);
  return out;
}

}  // namespace

Minimum minimise(const Objective& objective, std::vector<double> start, const MinimiseOptions& options) {
  constexpr double kEnough = 1e-4;     // of the fall that the slope promises (Armijo)
  constexpr double kSmallest = 1e-10;  // part of a step
  const auto at = [&](Vector x) {
    Point point{.x = std::move(x), .gradient = {}, .value = 0};
    point.gradient.resize(point.x.size());
    point.value = objective(point.x, point.gradient);
    return point;
  };
  Point here = at(std::move(start));
  int evaluations = 1;
  std::deque<Step> steps;
  while (evaluations < options.evaluations && !options.done(here.gradient)) {
    const Vector way = direction(steps, here.gradient, options);
    const double slope = dot(here.gradient, way);
    bool lower = false;
    Point next;
    for (double part = 1; !lower && part > kSmallest && evaluations < options.evaluations; part /= 2, ++evaluations) {
      Vector x = here.x;
      add_scaled(x, part, way);
      next = at(std::move(x));
      lower = next.value <= here.value + kEnough * part * slope;
    }
    if (!lower) break;
    remember(steps, {difference(next.x, here.x), difference(next.gradient, here.gradient)});
    here = std::move(next);
  }
  return {std::move(here.x), here.value, evaluations};
}

}  // namespace dipaco

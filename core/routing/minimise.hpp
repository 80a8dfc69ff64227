#pragma once

#include <functional>
#include <span>
#include <vector>

namespace dipaco {

/// A convex function of x [n]: its value; its gradient goes into `gradient` [n].
using Objective = std::function<double(std::span<const double> x, std::span<double> gradient)>;

struct MinimiseOptions {
  /// Whether this gradient is small enough.
  std::function<bool(std::span<const double> gradient)> done;
  /// About the inverse of the second derivative times a vector [n], symmetric and positive: the first guess of a step.
  std::function<std::vector<double>(std::span<const double> gradient)> metric;
  int evaluations = 200;  ///< of the objective, at most
};

struct Minimum {
  std::vector<double> x;
  double value = 0;
  int evaluations = 0;
};

/// L-BFGS (Nocedal and Wright, Algorithm 7.5; ten steps are remembered) from `start`, each step halved until the value
/// falls by enough. Ends with options.done, after options.evaluations, or where no step lowers the value any more.
Minimum minimise(const Objective& objective, std::vector<double> start, const MinimiseOptions& options);

}  // namespace dipaco

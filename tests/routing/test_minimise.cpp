#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "core/routing/minimise.hpp"

namespace dipaco {
namespace {

using Vector = std::vector<double>;

/// Sum of curvature_i / 2 (x_i - centre_i)^2.
Objective bowl(Vector curvature, Vector centre) {
  return [=](std::span<const double> x, std::span<double> gradient) {
    double value = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      gradient[i] = curvature[i] * (x[i] - centre[i]);
      value += gradient[i] * (x[i] - centre[i]) / 2;
    }
    return value;
  };
}

MinimiseOptions until(double most) {
  return {.done =
              [most](std::span<const double> gradient) {
                double squares = 0;
                for (const double value : gradient) squares += value * value;
                return squares <= most * most;
              },
          .metric = [](std::span<const double> gradient) { return Vector(gradient.begin(), gradient.end()); }};
}

TEST_CASE("a bowl's minimum is found however unlike its curvatures are", "[routing]") {
  const Vector centre{1, -2, 3, 0.5, -0.25, 8};
  const Minimum minimum = minimise(bowl({1, 10, 100, 1000, 1e4, 0.1}, centre), Vector(6), until(1e-9));
  for (std::size_t i = 0; i < centre.size(); ++i) CHECK(minimum.x[i] == Approx(centre[i]).epsilon(1e-7));
  CHECK(minimum.value < 1e-15);
  CHECK(minimum.evaluations < 100);
}

TEST_CASE("with the true second derivative for its metric one step is enough", "[routing]") {
  MinimiseOptions options = until(1e-9);
  options.metric = [](std::span<const double> gradient) { return Vector{gradient[0] / 4, gradient[1] / 256}; };
  const Minimum minimum = minimise(bowl({4, 256}, {3, -5}), {0, 0}, options);
  CHECK(minimum.x == Vector{3, -5});
  CHECK(minimum.evaluations == 2);  // at the start and after the step
}

TEST_CASE("a function that is no bowl is minimised too", "[routing]") {
  // log(e^x + e^-x) + y^4: its minimum is log 2 at (0, 0)
  const Objective function = [](std::span<const double> x, std::span<double> gradient) {
    gradient[0] = std::tanh(x[0]);
    gradient[1] = 4 * std::pow(x[1], 3);
    return std::log(2 * std::cosh(x[0])) + std::pow(x[1], 4);
  };
  const Minimum minimum = minimise(function, {5, -3}, until(1e-6));
  CHECK(minimum.value == Approx(std::log(2)).epsilon(1e-9));
  CHECK(std::abs(minimum.x[0]) < 1e-5);
}

TEST_CASE("the objective is not asked more often than was allowed", "[routing]") {
  int asked = 0;
  const Objective counted = [&](std::span<const double> x, std::span<double> gradient) {
    ++asked;
    return bowl({1, 1e6}, {1, 1})(x, gradient);
  };
  for (const int most : {1, 2, 7}) {
    asked = 0;
    MinimiseOptions options = until(0);
    options.evaluations = most;
    CHECK(minimise(counted, {0, 0}, options).evaluations == most);
    CHECK(asked == most);
  }
}

TEST_CASE("where no step lowers the value the start is returned", "[routing]") {
  const Objective lies = [](std::span<const double> x, std::span<double> gradient) {
    gradient[0] = 1;  // it falls to the left, says the gradient
    return std::abs(x[0] - 2);
  };
  const Minimum minimum = minimise(lies, {2}, until(1e-9));
  CHECK(minimum.x == Vector{2});
  CHECK(minimum.evaluations < 50);
}

}  // namespace
}  // namespace dipaco

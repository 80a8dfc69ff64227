#include "tests/growth/growth.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace dipaco::testing {

void Growth::add(std::size_t size, double ours, double bare) {
  ours_.at(size) = std::min(ours_.at(size), ours);
  bare_.at(size) = std::min(bare_.at(size), bare);
}

double Growth::own(std::size_t size) const {
  const double more = ours_.at(size) - bare_.at(size);
  return measure_ == Measure::instructions ? more : more / bare_.at(size) * std::exp2(static_cast<double>(size));
}

double Growth::each_doubling() const {
  double largest = 0;
  for (std::size_t size = 0; size < ours_.size(); ++size) {
    if (!std::isfinite(own(size)) || own(size) <= 0) return kUnknown;
    if (size > 0) largest = std::max(largest, own(size) / own(size - 1));
  }
  if (measure_ == Measure::instructions) return largest;
  const std::size_t doublings = ours_.size() - 1;
  return std::pow(own(doublings) / own(0), 1 / static_cast<double>(doublings));
}

std::string Growth::text() const {
  std::ostringstream words;
  words << (measure_ == Measure::instructions ? "instructions: " : "seconds: ");
  for (std::size_t size = 0; size < ours_.size(); ++size) {
    words << (size > 0 ? "; " : "") << ours_[size] << " against " << bare_[size];
    if (size > 0) words << " (x " << own(size) / own(size - 1) << ")";
  }
  return words.str();
}

}  // namespace dipaco::testing

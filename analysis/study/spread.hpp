#pragma once

#include <vector>

namespace dipaco::analysis {

/// What a figure came to in several runs that differ in their draws alone.
struct Spread {
  double median = 0;
  double low = 0;  ///< of the median's interval
  double high = 0;
};

/// The median, and the narrowest pair of values, as far from either end, that holds the true median with at least 95 %
/// whatever the distribution (order statistics: each value is above it as likely as below). Of fewer than six values
/// the least and the greatest. REQUIRES a value
Spread spread_of(std::vector<double> values);

}  // namespace dipaco::analysis

#pragma once

#include <vector>

namespace dipaco::analysis {

/// The median; of an even number the lower one. REQUIRES a value
double middle(std::vector<double> values);

}  // namespace dipaco::analysis

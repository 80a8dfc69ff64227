#include "core/coordinator/tables/path_losses.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dipaco {

void PathLosses::set(PathId path, double loss) {
  double& known = losses_[static_cast<std::size_t>(index(path))];
  sum_ += loss - known;
  if (known != 0) --known_;
  if (loss != 0) ++known_;
  known = loss;
  // Once a round of all paths, so that neither rounding nor a value that was not finite stays.
  if (++changes_ >= losses_.size()) add_up();
}

void PathLosses::add_up() {
  sum_ = std::accumulate(losses_.begin(), losses_.end(), 0.0);
  known_ = losses_.size() - static_cast<std::size_t>(std::count(losses_.begin(), losses_.end(), 0.0));
  changes_ = 0;
}

}  // namespace dipaco

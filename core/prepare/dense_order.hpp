#pragma once

#include <memory>

#include "core/prepare/preparation.hpp"

namespace dipaco {

/// Everything before the first outer step is computed in the dense order: with the topology's own trainer where that is
/// its order, else with one that is made for it. Borrows all that it is made with.
class DenseOrder {
 public:
  DenseOrder(const RunConfig& config, const PathLayout& layout, const Trainer& trainer, const PrepareOptions& options);

  /// Lives as long as this does.
  Preparation preparation(Missing missing) const;

 private:
  const RunConfig& config_;
  const Trainer& trainer_;
  const PrepareOptions& options_;
  PathLayout layout_;
  std::shared_ptr<const Trainer> own_;  ///< null where trainer_ will do
};

}  // namespace dipaco

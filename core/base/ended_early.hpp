#pragma once

#include <memory>
#include <utility>

#include "core/base/error.hpp"

namespace dipaco {

/// The run has ended before it was finished; `Part` is what its reports are made from, as far as it came.
template <class Part>
class EndedEarly : public RunError {
 public:
  EndedEarly(const RunError& why, Part so_far)
      : RunError(why.exit_status(), why.what()), so_far_(std::make_shared<const Part>(std::move(so_far))) {}
  const Part& so_far() const { return *so_far_; }

 private:
  std::shared_ptr<const Part> so_far_;  ///< an exception is copied, and must not throw then
};

}  // namespace dipaco

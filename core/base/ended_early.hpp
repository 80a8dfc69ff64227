#pragma once

#include <memory>
#include <utility>

#include "core/base/error.hpp"

namespace dipaco {

/// Thrown where a run ends before it is finished. It has the message and exit status of the RunError that ended it, and
/// what the reports are made from (`Part`), as far as the run came.
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

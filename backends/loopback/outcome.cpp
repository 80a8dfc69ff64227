#include "backends/loopback/outcome.hpp"

#include <utility>

namespace dipaco {

void LoopbackOutcome::failed(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(failure);
}

void LoopbackOutcome::finished(RunResult result) { result_ = std::move(result); }

std::optional<RunResult> LoopbackOutcome::take_result() {
  if (failure_) std::rethrow_exception(failure_);
  return std::exchange(result_, std::nullopt);
}

}  // namespace dipaco

#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <optional>

#include "core/roles/roles.hpp"

namespace dipaco {

/// How a loopback run ends, as its threads tell it. The first three calls and over() are thread-safe; the others are
/// for the time after all threads have ended.
class LoopbackOutcome {
 public:
  /// A node threw this; the first that did counts.
  void failed(std::exception_ptr failure);
  /// A person had the run stopped.
  void stop() { stopped_ = true; }
  /// The coordinator's thread has ended, with a result or without.
  void end() { over_ = true; }
  bool over() const { return over_; }
  /// The coordinator has returned this. Called by its thread alone.
  void finished(RunResult result);

  bool stopped() const { return stopped_; }
  /// What the coordinator has returned; nullopt where it did not come to that.
  /// @throws what a node threw first
  std::optional<RunResult> take_result();

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::optional<RunResult> result_;
  std::atomic<bool> over_{false};
  std::atomic<bool> stopped_{false};
};

}  // namespace dipaco

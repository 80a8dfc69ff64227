#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "backends/gloo/node.hpp"
#include "backends/gloo/status/status.hpp"

namespace dipaco {

/// What the nodes of this process know of the run, as its status page shows it. From any thread.
class StatusSource {
 public:
  /// @param nodes  must outlive this
  StatusSource(const RunPlan& plan, std::vector<const GlooNode*> nodes);
  /// The coordinator's.
  void note(const RunProgress& progress);
  void note_finished();
  Status status();

 private:
  static void add_queues(Status& status, const GlooNode& node);
  void add_queues_elsewhere(Status& status, const GlooNode& coordinator) const;
  void add_coordinator(Status& status, const GlooNode& coordinator) const;

  const RunPlan& plan_;
  std::vector<const GlooNode*> nodes_;
  std::mutex mutex_;
  RunProgress progress_;
  bool finished_ = false;
};

}  // namespace dipaco

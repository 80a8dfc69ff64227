#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/roles/supplies/module_cache.hpp"
#include "core/transport/messages.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// The outer gradients that a worker sends: one for each shared module of a task's path, to its executor (Alg. 1 line
/// 13). The newest are remembered: where their executor is lost, the coordinator hears that they may be, too.
class SentGradients {
 public:
  SentGradients(const RunPlan& plan, Transport& transport) : plan_(plan), transport_(transport) {}

  /// Sends those of a task that is committed.
  /// @param given    what the task gives: TaskWork::given()
  /// @param modules  REQUIRES that the modules of the task's base are there; the next versions are expected from then
  /// on
  void send(const Task& task, const Values& given, ModuleCache& modules);
  /// The same of one module, `part` of the task's base. @returns its owner, as far as is known
  Owner send(const Task& task, const BaseVersion& part, const Values& given, ModuleCache& modules);
  /// Says so where that of a task that has ended has not gone to the owner that is asked for.
  void answer(const GradientDoubted& doubted) const;
  /// The same, of the task at hand, which is to send it: whether it has is known once the task has ended.
  void answer_later(const GradientDoubted& doubted) { asked_.push_back(doubted); }
  /// Nobody else hears that the task at hand is over.
  void answer_all();
  /// The coordinator hears how the task at hand ended.
  void need_no_answer() { asked_.clear(); }
  /// What went to the node, an executor or the site's store, may not have arrived.
  void lost(NodeId node);
  /// The site's store says that this may not have arrived.
  void lost(const GradientsLost& gradient);

 private:
  GradientValues difference(const BaseVersion& part, const Values& given, const ModuleCache& modules) const;
  /// What was sent, on behalf of which owner, and to whom: the owner, or the site's store.
  struct Sent {
    Owner owner;
    NodeId to{};
    GradientsLost gradient;
  };
  void remember(const Sent& sent);

  const RunPlan& plan_;
  Transport& transport_;
  std::vector<Sent> sent_;              ///< the newest of each module and path
  std::vector<GradientDoubted> asked_;  ///< of the task at hand
};

}  // namespace dipaco

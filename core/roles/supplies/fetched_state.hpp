#pragma once

#include <optional>

#include "core/plan/plan.hpp"
#include "core/transport/messages.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// The path state that a worker or evaluator needs from a store: whom to ask, whether it was asked, and the answer.
class FetchedState {
 public:
  FetchedState(const RunPlan& plan, Transport& transport) : plan_(plan), transport_(transport) {}

  /// From now on this is what is needed; nullopt: nothing is. What came before is forgotten.
  /// @param store  has it; -1: none that is there
  void want(const std::optional<FetchPathState>& wanted, NodeId store);
  /// Another store may have it now: that one is to be asked.
  void kept_at(NodeId store);
  /// What was asked of the store will not come.
  void lost(NodeId store);
  void request();
  /// Takes the answer; not a late one to what was wanted before.
  void arrived(PathStateBody state);

  /// Whether what is needed is here.
  bool here() const { return !wanted_ || answer_; }
  /// Whether it is lacking and not on its way.
  bool unasked() const { return unasked_ && !here(); }
  /// REQUIRES that it was wanted and is here.
  const PathStateBody& get() const;
  /// The same, which is not kept here any more.
  PathStateBody take();

 private:
  bool answers(const PathStateBody& state) const;

  const RunPlan& plan_;
  Transport& transport_;
  std::optional<FetchPathState> wanted_;
  NodeId store_{-1};
  bool unasked_ = false;
  std::optional<PathStateBody> answer_;
};

}  // namespace dipaco

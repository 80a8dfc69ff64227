#pragma once

#include <optional>
#include <string>

#include "core/coordinator/evaluations.hpp"
#include "core/coordinator/known/run_state.hpp"
#include "core/coordinator/model_collection.hpp"
#include "core/coordinator/state_refusals.hpp"

namespace dipaco {

/// Tells a person how far the run is, and who waits for whom since when.
class Diagnosis {
 public:
  Diagnosis(RunState& run, const Evaluations& evaluations, const ModelCollection& model, const StateRefusals& refusals)
      : run_(run), evaluations_(evaluations), model_(model), refusals_(refusals) {}

  /// Tells how far the run is, if somebody wants to know.
  void tell_progress() const;
  /// Tells it every second, if CoordinatorOptions::tell_waiting is set.
  void tell_waiting();
  /// When tell_waiting() has something to say again; nullopt: never.
  std::optional<Seconds> tells_at() const;
  /// @throws RunError with status 4: nothing has moved for liveness.deadline
  [[noreturn]] void no_progress() const;

 private:
  RunProgress progress() const;
  std::string jobs_awaited() const;
  std::string waits_for(PathId path) const;
  bool is_late(PathId path) const;
  std::string remedy() const;

  RunState& run_;
  const Evaluations& evaluations_;
  const ModelCollection& model_;
  const StateRefusals& refusals_;
  Seconds told_at_{};
};

}  // namespace dipaco

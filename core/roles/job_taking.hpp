#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <variant>

#include "core/roles/roles.hpp"
#include "core/roles/sent_gradients.hpp"
#include "core/roles/supplies/supplies.hpp"

namespace dipaco {

/// What a worker or evaluator is asked to do beside training.
using JobRequest = std::variant<Evaluate, FitRouter, RouteDocuments, MakeGradients>;

/// Takes the jobs that the coordinator gives (JobGiving), and does one at a time. What a job needs beside its request
/// comes into the role's supplies.
class JobTaking {
 public:
  JobTaking(const RunPlan& plan, Seams seams, Supplies& supplies, SentGradients& gradients)
      : plan_(plan), seams_(seams), supplies_(supplies), gradients_(gradients) {}

  /// Takes a message that gives a job, or says where the things of the one at hand are now. @returns false where it
  /// does neither
  bool take(Body& body);
  /// The coordinator that the role said hello to gives what it had given before again, or to another.
  void said_hello();
  /// Whether there is one to do.
  bool waits() const { return next_.has_value(); }
  /// Does it, and answers the coordinator: not where a notice came first, and not where the role or a newer job ends
  /// one that still gathers. REQUIRES that there is one.
  /// @param waiting  how the role waits; over: whether it has something else to do
  void do_next(const Waiting& waiting);

 private:
  template <class Request>
  void take_gathering(Request request);
  void evaluate(const Evaluate& request, const Waiting& waiting);

  const RunPlan& plan_;
  Seams seams_;
  Supplies& supplies_;
  SentGradients& gradients_;
  std::optional<JobRequest> next_;
  std::optional<JobRequest> at_hand_;  ///< that gathers, or has; the coordinator may change where its things are
  bool void_ = false;                  ///< of that one: said hello since
  std::optional<std::pair<Evaluate, Evaluated>> answered_;  ///< the last evaluation
};

}  // namespace dipaco

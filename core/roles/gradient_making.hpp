#pragma once

#include "core/roles/roles.hpp"
#include "core/roles/sent_gradients.hpp"
#include "core/roles/supplies/supplies.hpp"

namespace dipaco {

/// Gradients that a worker is asked to make again, and how it gathers what that needs.
struct GradientMaking {
  const MakeGradients& request;  ///< where things are may change while it waits
  Supplies& supplies;
  SentGradients& sent;
  Waiting waiting;
};

/// Does the inner step of a committed task once more, where gradients are exchanged (§4.5): from the module versions of
/// its base and the state that it made, which has the data cursor and the path's own parameters before the step. Sends
/// the gradients asked for, and answers the coordinator: nothing where it is over before or a notice comes first.
void make_gradients(const RunPlan& plan, Seams seams, const GradientMaking& making);

/// Whether it is the same job once more: where things are, and what is lacking, may differ.
inline bool is_same(const MakeGradients& a, const MakeGradients& b) { return a.task == b.task; }

}  // namespace dipaco

#pragma once

#include "core/plan/plan.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

/// Whether all that a message names exists in this run: paths, modules and levels of its topology, outer steps and
/// versions up to outer.steps, inner steps of a task, phases of its re-shardings. A task is one that is drawn
/// (routing.sample_paths), a module that one node has for others is shared and one of the path's, a list by path has
/// all paths. Roles look these up without asking again. Takes as long as the message's lists are.
bool exists_in(const RunPlan& plan, const Message& message);

}  // namespace dipaco

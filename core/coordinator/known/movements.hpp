#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/coordinator/known/run_state.hpp"

namespace dipaco {

// For a person.

/// "3 on HOST"
std::string named(const RunState& run, NodeId node);
/// How much of a transfer to or from the node has come, and how fast. REQUIRES that `answers` has it.
std::string moving(const UnderWay& transfer, const Inquiries::Answers& answers);
/// What a node that was asked waits for: ", to which module is under way from node 2 on HOST, 3 MB of 9 MB (33.3 %) at
/// 1 MB/s"; "" where nobody has asked it.
std::string what_moves(const RunState& run, NodeId node);
/// The largest transfer at a node that was asked, and that node; null: there is none.
std::pair<NodeId, const UnderWay*> largest_of_any(const RunState& run);

// While a person looks (CoordinatorOptions::looked_at).

/// Asks all nodes how far they are, but those that have not answered yet: they compute.
void ask_for_person(RunState& run);
/// Large messages that nodes send, as they have said of late.
std::vector<SentMessage> sent_elsewhere(const RunState& run);

}  // namespace dipaco

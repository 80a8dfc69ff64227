#include "core/coordinator/known/movements.hpp"

#include <algorithm>

#include "core/base/text.hpp"

namespace dipaco {
namespace {

/// What a person is told every second was answered a second ago, or a few on a slow line.
constexpr Seconds kOfLate{3};

/// Null where it was not asked for a person, or has answered too long ago to be told.
const Inquiries::Answers* told_of_late(const RunState& run, NodeId node) {
  const Inquiries::Answers* const answers = run.watched.find(node);
  const Seconds longest = std::max(kOfLate, 2 * run.plan.config.liveness.period);
  const bool of_late = answers != nullptr && answers->number > 0 && run.now() - answers->since <= longest;
  return of_late ? answers : nullptr;
}

std::string under_way(const RunState& run, const UnderWay& transfer, const Inquiries::Answers& answers) {
  return std::string(", ") + (transfer.incoming ? "to which " : "from which ") + name(transfer.kind) +
         " is under way " + (transfer.incoming ? "from" : "to") + " node " + named(run, transfer.peer) + ", " +
         moving(transfer, answers);
}

}  // namespace

std::string named(const RunState& run, NodeId node) {
  const KnownNode* const member = run.members.find(node);
  return std::to_string(index(node)) + (member == nullptr || member->machine.empty() ? "" : " on " + member->machine);
}

std::string moving(const UnderWay& transfer, const Inquiries::Answers& answers) {
  const double share = static_cast<double>(transfer.arrived.value) / static_cast<double>(transfer.size.value);
  return human_bytes(transfer.arrived) + " of " + human_bytes(transfer.size) +
         (transfer.size.value > 0 ? " (" + format_fixed(100 * share, 1) + " %)" : "") + rate(transfer, answers);
}

std::string what_moves(const RunState& run, NodeId node) {
  const Inquiries::Answers* const of_late = told_of_late(run, node);
  if (const UnderWay* const transfer = largest(of_late)) return under_way(run, *transfer, *of_late);
  const Inquiries::Answers* const answers = run.inquiries.find(node);
  if (answers == nullptr) return "";
  if (answers->number == 0) return ", which was asked how far it is and is silent";
  const UnderWay* const transfer = largest(answers);
  return transfer == nullptr ? ", to and from which nothing is under way" : under_way(run, *transfer, *answers);
}

std::pair<NodeId, const UnderWay*> largest_of_any(const RunState& run) {
  std::pair<NodeId, const UnderWay*> found{NodeId{-1}, nullptr};
  for (const auto& [node, member] : run.members.all()) {
    const UnderWay* const transfer = largest(run.inquiries.find(node));
    if (transfer != nullptr && (found.second == nullptr || found.second->size < transfer->size))
      found = {node, transfer};
  }
  return found;
}

void ask_for_person(RunState& run) {
  for (const auto& [node, member] : run.members.all()) {
    if (run.watched.is_silent(node)) continue;
    run.watched.asked(node);
    run.send(node, HowFar{.for_person = true});
  }
}

std::vector<SentMessage> sent_elsewhere(const RunState& run) {
  std::vector<SentMessage> sent;
  for (const auto& [node, member] : run.members.all()) {
    const Inquiries::Answers* const answers = told_of_late(run, node);
    if (answers == nullptr) continue;
    for (const UnderWay& message : answers->newest.under_way) {
      if (!message.incoming) sent.push_back({node, message});
    }
  }
  return sent;
}

}  // namespace dipaco

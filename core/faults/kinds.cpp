#include "core/faults/kinds.hpp"

#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "core/faults/board.hpp"
#include "core/faults/fault_plan.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {
namespace {

constexpr bool each_in_its_place() {
  for (std::size_t k = 0; k < kFaultKinds; ++k) {
    const FaultKindRow& row = kFaultKindTable[k];
    if (row.kind != static_cast<FaultKind>(k) || (row.strike == nullptr) == (row.sends == nullptr)) return false;
  }
  return true;
}
static_assert(each_in_its_place());

}  // namespace

const char* name(FaultKind kind) { return row_of(kind).name; }

void end_node(FaultActions& actions, NodeId node, const Strike& strike) { actions.end(node, strike.lasting); }

void end_for_good(FaultActions& actions, NodeId node, const Strike& /*strike*/) { actions.end(node, std::nullopt); }

void freeze_node(FaultActions& actions, NodeId node, const Strike& strike) { actions.freeze(node, strike.lasting); }

void delay_node(FaultActions& actions, NodeId node, const Strike& strike) { actions.delay(node, strike.lasting); }

void cut_node(FaultActions& actions, NodeId node, const Strike& strike) {
  actions.cut(node, strike.peer, strike.lasting);
}

/// A path state has a parameter that is not a number; where nothing is learned, its loss is none.
std::vector<Message> poisoned(Message message) {
  auto* put = std::get_if<PutPathState>(&message.body);
  if (put == nullptr) return {std::move(message)};
  const auto& parameters = put->state.parameters.data;
  if (parameters == nullptr || parameters->empty()) {
    put->state.loss_sum = std::numeric_limits<double>::quiet_NaN();
  } else {
    auto values = *parameters;
    values[values.size() / 2] = std::numeric_limits<float>::quiet_NaN();
    put->state.parameters.data = std::make_shared<const std::vector<float>>(std::move(values));
  }
  return {make_message(std::move(message.body))};
}

std::vector<Message> repeated(Message message) {
  Message again = message;
  return {std::move(message), std::move(again)};
}

}  // namespace dipaco

#include "core/roles/state_put.hpp"

#include <algorithm>
#include <utility>

namespace dipaco {

void StatePut::begin(Epoch epoch, PathStateBody state) {
  put_ = PutPathState{epoch, transport_.self(), std::move(state)};
  answers_.clear();
  sent_to_.clear();
}

void StatePut::answered(const Stored& stored) {
  const bool mine = put_ && stored.path == put_->state.path && stored.version == put_->state.version &&
                    stored.inner_steps == put_->state.inner_steps && stored.epoch == put_->epoch;
  if (mine) answers_[stored.store] = stored.accepted;
}

void StatePut::lost(NodeId store) {
  if (!answers_.contains(store)) sent_to_.erase(store);
}

void StatePut::send(const std::vector<NodeId>& stores) {
  for (const NodeId store : stores) {
    if (answers_.contains(store) || !sent_to_.insert(store).second) continue;
    transport_.send(store, make_message(*put_));
  }
}

bool StatePut::unsent(const std::vector<NodeId>& stores) const {
  return std::ranges::any_of(stores, [&](NodeId store) { return !sent_to_.contains(store); });
}

bool StatePut::refused() const {
  return std::ranges::any_of(answers_, [](const auto& answer) { return !answer.second; });
}

bool StatePut::all_answered(const std::vector<NodeId>& stores) const {
  return std::ranges::all_of(stores, [&](NodeId store) { return answers_.contains(store); });
}

}  // namespace dipaco

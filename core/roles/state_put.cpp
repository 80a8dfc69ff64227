#include "core/roles/state_put.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace dipaco {
namespace {

Bytes size_on_wire(const PathStateBody& state) { return make_message(PutPathState{.state = state}).wire_size; }

}  // namespace

void StatePut::begin(Epoch epoch, PathStateBody state) {
  put_ = PutPathState{epoch, transport_.self(), std::move(state)};
  answers_.clear();
  sent_to_.clear();
  sent_at_.reset();
}

void StatePut::answered(const Stored& stored) {
  const bool mine = put_ && stored.path == put_->state.path && stored.version == put_->state.version &&
                    stored.inner_steps == put_->state.inner_steps && stored.epoch == put_->epoch;
  if (!mine) return;
  answers_[stored.store] = stored.accepted;
  if (!sent_at_ || answers_.size() < sent_to_.size()) return;
  times_.add(size_on_wire(put_->state), clock_.now() - *sent_at_);
  sent_at_.reset();
}

void StatePut::lost(NodeId store) {
  if (!answers_.contains(store) && sent_to_.erase(store) > 0) sent_at_.reset();
}

void StatePut::send(const std::vector<NodeId>& stores) {
  const std::size_t before = sent_to_.size();
  for (const NodeId store : stores) {
    if (answers_.contains(store) || !sent_to_.insert(store).second) continue;
    transport_.send(store, make_message(*put_));
  }
  if (sent_to_.size() == before) return;
  sent_at_ = before == 0 ? std::optional(clock_.now()) : std::nullopt;
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

std::optional<PutTimes::Range> StatePut::lasting(const PathStateBody& state) const {
  return times_.of(size_on_wire(state));
}

}  // namespace dipaco

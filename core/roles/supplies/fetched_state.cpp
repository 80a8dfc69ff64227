#include "core/roles/supplies/fetched_state.hpp"

#include <utility>

#include "core/base/error.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

void FetchedState::want(const std::optional<FetchPathState>& wanted, NodeId store) {
  wanted_ = wanted;
  store_ = store;
  unasked_ = true;
  answer_.reset();
}

void FetchedState::kept_at(NodeId store) {
  if (store == store_) return;
  store_ = store;
  unasked_ = true;
}

void FetchedState::lost(NodeId store) {
  if (store == store_) unasked_ = true;
}

void FetchedState::request() {
  if (!unasked() || store_ == NodeId{-1}) return;
  unasked_ = false;
  transport_.send(store_, make_message(*wanted_));
}

void FetchedState::arrived(PathStateBody state) {
  if (wanted_ && answers(state)) answer_ = std::move(state);
}

const PathStateBody& FetchedState::get() const {
  check(wanted_ && here(), "a path state is fetched before it is used");
  return *answer_;
}

PathStateBody FetchedState::take() {
  check(wanted_ && here(), "a path state is fetched before it is used");
  return std::move(*std::exchange(answer_, std::nullopt));
}

bool FetchedState::answers(const PathStateBody& state) const {
  // One without moments answers an evaluation, which asked for none.
  const bool complete = !wanted_->moments || is_whole(plan_, state);
  return complete && state.path == wanted_->path && state.version == wanted_->version &&
         state.inner_steps == wanted_->inner_steps;
}

}  // namespace dipaco

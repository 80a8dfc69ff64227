#include "core/outer/contributions.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

constexpr double kShareStep = 0x1p-52;

}  // namespace

OuterStep Contributions::settled(PathId path) const {
  const auto found = settled_.find(path);
  return found == settled_.end() ? OuterStep{0} : found->second;
}

void Contributions::settle(PathId path, OuterStep outer_step) {
  OuterStep& known = settled_[path];
  if (outer_step <= known) return;
  if (known > OuterStep{0} && --paths_at_[known] == 0) paths_at_.erase(known);
  ++paths_at_[outer_step];
  known = outer_step;
}

std::int32_t Contributions::giving(OuterStep end) const {
  const auto done = paths_at_.find(end);
  const auto ended =
      std::ranges::count_if(last_, [&](PathId path) { return !in_hand_.contains(path) && settled(path) != end; });
  const auto left = static_cast<std::int32_t>(shares_.size()) - (done == paths_at_.end() ? 0 : done->second) -
                    static_cast<std::int32_t>(ended);
  return only_in_hand_ ? std::min(left, static_cast<std::int32_t>(in_hand_.size())) : left;
}

void Contributions::lost(NodeId sender) {
  for (auto& [path, contribution] : in_hand_) {
    if (contribution.sender == sender) contribution.sender = NodeId{-1};
  }
}

void Contributions::add(const InHand& contribution) {
  check(in_hand_.emplace(contribution.what.path, contribution).second, "a path gives once to a version");
  share_in_hand_ += std::llround(contribution.what.share / kShareStep);
  arrived_.push_back(contribution.came);
}

std::vector<Contributions::InHand> Contributions::take() {
  std::vector<InHand> taken;
  for (const auto& [path, contribution] : std::exchange(in_hand_, {})) {
    settle(path, next(contribution.what.outer_step));
    taken.push_back(contribution);
  }
  share_in_hand_ = 0;
  arrived_.clear();
  only_in_hand_ = false;
  return taken;
}

PartView Contributions::view(Version version, std::int32_t paths, Seconds now) const {
  return {.version = version,
          .members = static_cast<std::int32_t>(shares_.size()),
          .paths = paths,
          .in_hand = static_cast<std::int32_t>(in_hand_.size()),
          .share = static_cast<double>(share_in_hand_) * kShareStep,
          .now = now,
          .made = made_,
          .arrived = arrived_};
}

}  // namespace dipaco

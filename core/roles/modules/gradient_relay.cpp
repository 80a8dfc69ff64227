#include "core/roles/modules/gradient_relay.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "core/outer/outer_gradient.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {
namespace {

std::uint64_t size_of(const GradientValues& values) { return encoded_size(values.format, values.charged); }

}  // namespace

void GradientRelay::take(NodeId worker, const RelayedGradient& given) {
  Owner& owner = owners_[given.owner];
  const auto same = [&given](const Waiting& each) {
    const OuterGradient& one = each.gradient;
    return one.module == given.gradient.module && one.task == given.gradient.task && one.epoch == given.gradient.epoch;
  };
  for (Line* const line : {&owner.waiting, &owner.under_way}) {
    const auto known = std::ranges::find_if(*line, same);
    if (known == line->end()) continue;
    known->worker = worker;  // of another attempt, perhaps: who gave it last hears what becomes of it
    return;
  }
  owner.waiting.push_back({given.gradient, worker});
  if (owner.under_way.empty()) send_next(given.owner, owner);
}

void GradientRelay::answered(NodeId from, const GradientTaken& taken) {
  const auto found = owners_.find(from);
  if (found == owners_.end()) return;
  Owner& owner = found->second;
  if (owner.later.contains(taken.number)) {
    if (!taken.waits) send_singly(owner, std::move(owner.later.extract(taken.number).mapped()), taken.lacking);
  } else if (!owner.under_way.empty() && owner.number == taken.number) {
    Line done = std::exchange(owner.under_way, {});
    if (taken.waits) {
      owner.later[taken.number] = std::move(done);
    } else {
      send_singly(owner, std::move(done), taken.lacking);
    }
  }
  if (!owner.waiting.empty() && owner.under_way.empty()) {
    send_next(from, owner);
  } else if (owner.waiting.empty() && owner.under_way.empty() && owner.later.empty()) {
    owners_.erase(found);
  }
}

/// Those of the parts that are lacking are next.
void GradientRelay::send_singly(Owner& owner, Line parts, const std::vector<TaskId>& lacking) {
  for (Waiting& each : parts) {
    if (std::ranges::find(lacking, each.gradient.task) == lacking.end()) continue;
    each.singly = true;
    owner.waiting.insert(owner.waiting.begin(), std::move(each));
  }
}

void GradientRelay::lost(NodeId node) {
  const auto gone = owners_.extract(node);
  if (!gone) return;
  const auto tell = [this](const Line& line) {
    for (const auto& [gradient, worker, singly] : line) {
      const auto& [module, task, base, inner_steps, values, epoch, awaits] = gradient;
      transport_.send(worker, make_message(GradientsLost{module, task, NodeId{-1}, base, inner_steps}));
    }
  };
  for (const auto& [number, line] : gone.mapped().later) tell(line);
  tell(gone.mapped().under_way);
  tell(gone.mapped().waiting);
}

/// The first of the lowest outer step, and what may be added to it.
GradientRelay::Line GradientRelay::take_next(Line& waiting) {
  const auto first =
      std::ranges::min_element(waiting, {}, [](const Waiting& each) { return number(each.gradient.task.outer_step); });
  Line next{std::move(*first)};
  waiting.erase(first);
  if (next.front().singly) return next;
  const OuterGradient& to = next.front().gradient;
  const auto others = std::ranges::stable_partition(waiting, [&to](const Waiting& each) {
    const OuterGradient& one = each.gradient;
    return each.singly || one.module != to.module || one.base != to.base || one.epoch != to.epoch;
  });
  std::ranges::move(others, std::back_inserter(next));
  waiting.erase(others.begin(), others.end());
  return next;
}

void GradientRelay::send_next(NodeId to, Owner& owner) {
  Line next = take_next(owner.waiting);
  owner.number = ++number_;
  if (next.size() > 1) {
    if (auto sum = sum_of(next)) {
      sum->number = owner.number;
      owner.under_way = std::move(next);
      return transport_.send(to, make_message(std::move(*sum)));
    }
    owner.waiting.insert(owner.waiting.begin(), std::make_move_iterator(next.begin() + 1),
                         std::make_move_iterator(next.end()));
    next.resize(1);
  }
  transport_.send(to, make_message(RelayedGradient{next.front().gradient, to, owner.number}));
  owner.under_way = std::move(next);
}

/// nullopt where the sum is no smaller than its parts, or they cannot be added here.
std::optional<GradientSum> GradientRelay::sum_of(const Line& parts) const {
  const OuterGradient& first = parts.front().gradient;
  GradientSum sum{.module = first.module, .base = first.base, .epoch = first.epoch};
  sum.sum.charged = first.difference.charged;
  std::uint64_t singly = 0;
  bool there = true;
  for (const Waiting& each : parts) {
    singly += size_of(each.gradient.difference);
    there = there && each.gradient.difference.bytes != nullptr;
    sum.tasks.push_back({each.gradient.task, each.gradient.inner_steps});
  }
  const auto shares = shares_.of(first.module, first.base);
  if (kSumBytes * sum.sum.charged >= singly || shares.empty()) return std::nullopt;
  // Of what an earlier process has done the values may be others (docs/decisions/0009), and nobody adds them.
  if (!there || archive_.past(first.module, next(first.base))) return sum;
  OuterAccumulator all(plan_.layout.levels[static_cast<std::size_t>(first.module.level)].size);
  for (const Waiting& each : parts) {
    const auto share = shares.find(each.gradient.task.path);
    if (share == shares.end()) return std::nullopt;
    if (!all.try_add(gradient_floats(each.gradient.difference, all.size()), share->second)) return std::nullopt;
  }
  auto bytes = all.encode();
  if (!bytes) return std::nullopt;
  sum.sum.bytes = std::make_shared<const std::vector<std::byte>>(std::move(*bytes));
  return sum;
}

}  // namespace dipaco

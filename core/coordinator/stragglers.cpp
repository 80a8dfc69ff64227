#include "core/coordinator/stragglers.hpp"

#include <algorithm>

#include "core/base/text.hpp"

namespace dipaco {
namespace {

/// So many others must have measured something, for their median to say what is usual.
constexpr std::size_t kFewest = 2;

}  // namespace

void Stragglers::measured(NodeId worker, Seconds inner_step) {
  const double factor = run_.plan.config.run.straggler_factor;
  const auto named = named_.find(worker);
  if (named != named_.end()) {
    named->second.newest = inner_step;
    if (inner_step >= factor * named->second.usual.step) return;
    named_.erase(named);
    run_.queue.dispatch().avoid(worker, false);
    run_.seams.log.record({.time = run_.now(), .kind = EventKind::worker_recovered, .node = worker});
    if (run_.options.note) run_.options.note(describe(worker) + " is as fast again as it should be");
    return;
  }
  const auto than = usual(worker, inner_step);
  if (!than) return;
  const Named it{.usual = *than, .newest = inner_step, .at = run_.now()};
  named_.emplace(worker, it);
  run_.queue.dispatch().avoid(worker, true);
  run_.seams.log.record(
      {.time = it.at, .kind = EventKind::worker_slow, .node = worker, .value = inner_step / than->step});
  if (run_.options.note) run_.options.note(line(worker, it) + "; see what else runs on its machine");
}

/// What is usual, where the inner step takes much longer than that.
std::optional<Stragglers::Usual> Stragglers::usual(NodeId worker, Seconds inner_step) const {
  const double factor = run_.plan.config.run.straggler_factor;
  const auto before = run_.step_times.of(worker);
  if (before && inner_step >= factor * before->median) return Usual{before->median, "before"};
  const KnownNode* const member = run_.members.find(worker);
  if (member != nullptr && member->speed > 0) {
    const Seconds said(run_.plan.inner_step_cost.value / member->speed);
    return inner_step >= factor * said ? std::optional(Usual{said, "its speed in the scenario says"}) : std::nullopt;
  }
  const auto like = of_its_like(worker);
  if (like && inner_step >= factor * *like) return Usual{*like, "others like it need"};
  return std::nullopt;
}

/// The median of workers that compute in the same way; nullopt where too few of them have measured any.
std::optional<Seconds> Stragglers::of_its_like(NodeId worker) const {
  const KnownNode* const mine = run_.members.find(worker);
  if (mine == nullptr) return std::nullopt;
  std::vector<Seconds> steps;
  for (const NodeId other : run_.members.with(Role::worker)) {
    const KnownNode& its = run_.members.at(other);
    if (other == worker || its.arithmetic != mine->arithmetic) continue;
    if (const auto step = run_.step_times.newest(other)) steps.push_back(*step);
  }
  if (steps.size() < kFewest) return std::nullopt;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::ranges::nth_element(steps, middle);
  return *middle;
}

std::string Stragglers::describe(NodeId worker) const {
  const KnownNode* const member = run_.members.find(worker);
  return "worker " + std::to_string(index(worker)) +
         (member == nullptr || member->machine.empty() ? "" : " on " + member->machine);
}

std::string Stragglers::line(NodeId worker, const Named& named) const {
  return describe(worker) + " is slow: " + human_seconds(named.newest) + " an inner step, " +
         format_fixed(named.newest / named.usual.step, 1) + " times as long as " + named.usual.whose;
}

std::vector<std::string> Stragglers::lines() const {
  std::vector<std::string> lines;
  for (const auto& [worker, named] : named_) {
    lines.push_back(line(worker, named) + ", since " + format_number(named.at.count()) + " s");
  }
  return lines;
}

}  // namespace dipaco

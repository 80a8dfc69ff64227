#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "core/report/accounts/account.hpp"
#include "core/report/accounts/wait_ways.hpp"

namespace dipaco {
namespace {

using Task = std::pair<PathId, OuterStep>;

/// A version that is out.
struct OutVersion {
  Seconds out{};
  NodeId owner{-1};
};

/// Where the log does not say, since both have one time: when it was assigned.
Seconds queued(const Attempt& attempt) { return happened(attempt.queued) ? attempt.queued : attempt.assigned; }

OuterStep before(OuterStep step) { return OuterStep{number(step) - 1}; }

/// Attempts and versions, by what leads from one to the other.
class History {
 public:
  History(const RunFacts& facts, const Account& account, const std::vector<Event>& events)
      : facts_(facts), attempts_(account.attempts) {
    for (const auto& [module, paths] : facts.shared_modules) {
      for (const PathId path : paths) modules_[path].push_back(module);
    }
    for (const Attempt& attempt : attempts_) {
      if (happened(attempt.started)) by_worker_[attempt.worker].push_back(&attempt);
    }
    for (auto& [worker, attempts] : by_worker_) std::ranges::sort(attempts, {}, &Attempt::started);
    for (const Event& event : events) {
      if (event.kind != EventKind::module_stepped || event.version < 1) continue;
      versions_[{event.module, OuterStep{event.version - 1}}] = {event.time, event.node};
    }
  }

  const std::map<std::pair<ModuleId, OuterStep>, OutVersion>& versions() const { return versions_; }
  const Attempt* committed(Task task) const {
    for (const Attempt& one : tries(task)) {
      if (one.end == AttemptEnd::committed) return &one;
    }
    return nullptr;
  }

  /// The committed tasks whose outer gradients a version is made of, the last to be committed first.
  std::vector<const Attempt*> behind(ModuleId module, OuterStep step) const {
    std::vector<const Attempt*> all;
    const auto paths = facts_.shared_modules.find(module);
    if (paths == facts_.shared_modules.end()) return all;
    for (const PathId path : paths->second) {
      const Attempt* const one = committed({path, step});
      if (one != nullptr && happened(one->ended)) all.push_back(one);
    }
    std::ranges::stable_sort(all, [](const Attempt* a, const Attempt* b) { return a->ended > b->ended; });
    return all;
  }

  /// The attempt that its worker did before this one.
  const Attempt* earlier_on_worker(const Attempt& attempt) const {
    const auto all = by_worker_.find(attempt.worker);
    if (all == by_worker_.end()) return nullptr;
    const auto at = std::ranges::lower_bound(all->second, attempt.started, {}, &Attempt::started);
    return at == all->second.begin() ? nullptr : *std::prev(at);
  }

  /// The attempt at the same task before this one.
  const Attempt* earlier_try(const Attempt& attempt) const {
    const Attempt* earlier = nullptr;
    for (const Attempt& one : tries({attempt.path, attempt.outer_step})) {
      if (one.attempt < attempt.attempt) earlier = &one;
    }
    return earlier;
  }

  /// Of the versions that a task begins with, the one that was out last.
  std::optional<std::pair<ModuleId, OutVersion>> last_input(Task task) const {
    std::optional<std::pair<ModuleId, OutVersion>> last;
    const auto modules = modules_.find(task.first);
    if (modules == modules_.end()) return last;
    for (const ModuleId module : modules->second) {
      const auto version = versions_.find({module, before(task.second)});
      if (version == versions_.end()) continue;
      if (!last || last->second.out < version->second.out) last = {module, version->second};
    }
    return last;
  }

 private:
  /// All attempts at a task, the first first.
  std::span<const Attempt> tries(Task task) const {
    const auto place = [](const Attempt& attempt) { return std::pair(attempt.outer_step, attempt.path); };
    const auto all = std::ranges::equal_range(attempts_, std::pair(task.second, task.first), {}, place);
    return {all.begin(), all.end()};
  }

  const RunFacts& facts_;
  std::span<const Attempt> attempts_;  ///< by outer step, path and attempt
  std::map<PathId, std::vector<ModuleId>> modules_;
  std::map<NodeId, std::vector<const Attempt*>> by_worker_;
  std::map<std::pair<ModuleId, OuterStep>, OutVersion> versions_;
};

/// Walks from the end of the run to its begin, each time to what came last of all that was waited for.
class CriticalWalk {
 public:
  explicit CriticalWalk(const History& history) : history_(history) {}

  std::vector<CriticalStretch> from(ModuleId module, OuterStep step, const OutVersion& version) {
    at_ = version.out;
    enter_version(module, step, version);
    while (next_ != nullptr) enter_attempt(*std::exchange(next_, nullptr));
    if (at_ > Seconds(0)) stretch(WaitStage::coordinate, Seconds(0), {.path = PathId{-1}});
    std::ranges::reverse(path_);
    return std::move(path_);
  }

 private:
  /// What lies between `begin` and where the walk is.
  void stretch(WaitStage stage, Seconds begin, CriticalStretch of) {
    if (!happened(begin) || begin >= at_) return;
    of.stage = stage;
    of.begin = begin;
    of.end = at_;
    path_.push_back(of);
    at_ = begin;
  }

  void enter_version(ModuleId module, OuterStep step, const OutVersion& version) {
    const auto behind = history_.behind(module, step);
    if (behind.empty() || behind.front()->ended > at_) return;
    next_ = behind.front();
    stretch(WaitStage::exchange, next_->ended,
            {.node = version.owner, .path = next_->path, .outer_step = step, .module = module});
  }

  void enter_attempt(const Attempt& attempt) {
    const CriticalStretch of{.node = attempt.worker, .path = attempt.path, .outer_step = attempt.outer_step};
    if (attempt.end != AttemptEnd::committed && attempt.useful_steps == 0) {
      stretch(WaitStage::lost, attempt.started, of);
    }
    stretch(WaitStage::commit, attempt.computed, of);
    stretch(WaitStage::compute, attempt.started, of);
    const Attempt* const other = history_.earlier_on_worker(attempt);
    const Seconds free = other != nullptr ? other->stopped : kNever;
    const bool waited = happened(free) && free <= at_ && free >= queued(attempt);
    if (waited && free >= attempt.assigned) {  // it had the task already
      stretch(WaitStage::fetch, free, of);
      next_ = other;
      return;
    }
    stretch(WaitStage::fetch, attempt.assigned, of);
    if (waited) {
      stretch(WaitStage::queue, free, of);
      next_ = other;
      return;
    }
    stretch(WaitStage::queue, queued(attempt), of);
    enter_inputs(attempt);
  }

  void enter_inputs(const Attempt& attempt) {
    if (const Attempt* const earlier = history_.earlier_try(attempt); earlier != nullptr) {
      if (earlier->end == AttemptEnd::handed_back && earlier->ended <= at_) {
        stretch(WaitStage::coordinate, earlier->ended, {.path = earlier->path, .outer_step = earlier->outer_step});
        next_ = earlier;
        return;
      }
      stretch(WaitStage::lost, std::min(queued(*earlier), at_),
              {.node = earlier->worker, .path = earlier->path, .outer_step = earlier->outer_step});
      return enter_inputs(*earlier);
    }
    const Task task{attempt.path, attempt.outer_step};
    const auto input = history_.last_input(task);
    const Attempt* const own = history_.committed({attempt.path, before(attempt.outer_step)});
    const CriticalStretch of{.path = attempt.path, .outer_step = attempt.outer_step};
    if (input && input->second.out <= at_ && (own == nullptr || own->ended <= input->second.out)) {
      stretch(WaitStage::coordinate, input->second.out, of);
      return enter_version(input->first, before(attempt.outer_step), input->second);
    }
    if (own == nullptr || !(own->ended <= at_)) return;
    stretch(WaitStage::coordinate, own->ended, of);
    next_ = own;
  }

  const History& history_;
  Seconds at_{};
  const Attempt* next_ = nullptr;
  std::vector<CriticalStretch> path_;
};

/// In which stage a task lost most against another.
WaitStage slowest_stage(const Attempt& last, const Attempt& other) {
  if (last.attempt > other.attempt) return WaitStage::lost;
  const auto excess = [&](Seconds Attempt::*begin, Seconds Attempt::*end) {
    const Seconds more = (last.*end - last.*begin) - (other.*end - other.*begin);
    return happened(more) ? more : Seconds(0);
  };
  const std::array<std::pair<Seconds, WaitStage>, 4> stages{
      {{excess(&Attempt::queued, &Attempt::assigned), WaitStage::queue},
       {excess(&Attempt::assigned, &Attempt::started), WaitStage::fetch},
       {excess(&Attempt::started, &Attempt::computed), WaitStage::compute},
       {excess(&Attempt::computed, &Attempt::ended), WaitStage::commit}}};
  const auto& most = *std::ranges::max_element(stages, {}, &std::pair<Seconds, WaitStage>::first);
  return most.first > Seconds(0) && most.first >= queued(last) - queued(other) ? most.second : WaitStage::coordinate;
}

std::vector<ModuleStep> module_steps_of(const History& history) {
  std::vector<ModuleStep> steps;
  for (const auto& [which, version] : history.versions()) {
    const auto behind = history.behind(which.first, which.second);
    if (behind.empty()) continue;
    const Attempt& last = *behind.front();
    ModuleStep step{.module = which.first,
                    .outer_step = which.second,
                    .stepped = version.out,
                    .last_path = last.path,
                    .last_worker = last.worker};
    if (behind.size() > 1) {
      step.behind = last.ended - behind[1]->ended;
      step.stage = slowest_stage(last, *behind[1]);
      const auto input = history.last_input({last.path, last.outer_step});
      const auto others = history.last_input({behind[1]->path, last.outer_step});
      const bool later = input && (!others || others->second.out < input->second.out);
      if (step.stage == WaitStage::coordinate && later) step.awaited = input->first;
    }
    steps.push_back(step);
  }
  std::ranges::stable_sort(steps, {}, &ModuleStep::outer_step);
  return steps;
}

/// Looks up where what was waited for came from.
void add_ways(Waits& waits, const History& history, const std::vector<Event>& events) {
  std::vector<AwaitedMessages> all;
  for (CriticalStretch& one : waits.critical_path) {
    all.push_back({one.stage, one.node, one.path, one.module, one.begin, one.end, &one.way});
  }
  for (ModuleStep& step : waits.module_steps) {
    const Attempt& last = *history.committed({step.last_path, step.outer_step});
    if (step.stage == WaitStage::fetch) {
      all.push_back({step.stage, last.worker, last.path, {}, last.assigned, last.started, &step.way});
    } else if (step.stage == WaitStage::commit) {
      all.push_back({step.stage, last.worker, last.path, {}, last.computed, last.ended, &step.way});
    }
  }
  find_ways(std::move(all), events);
}

}  // namespace

const char* name(WaitStage stage) {
  static constexpr std::array<const char*, kWaitStages> kNames{"coordinate", "queue",  "lost",    "fetch",
                                                               "compute",    "commit", "exchange"};
  return kNames[static_cast<std::size_t>(stage)];
}

Waits who_waited(const RunFacts& facts, const Account& account, const std::vector<Event>& events) {
  Waits waits;
  if (!account.contributions.empty() || facts.shared_modules.empty()) return waits;
  const History history(facts, account, events);
  waits.module_steps = module_steps_of(history);
  const auto& versions = history.versions();
  const auto last = std::ranges::max_element(versions, {}, [](const auto& one) { return one.second.out; });
  if (last != versions.end()) {
    waits.critical_path = CriticalWalk(history).from(last->first.first, last->first.second, last->second);
  }
  add_ways(waits, history, events);
  return waits;
}

}  // namespace dipaco

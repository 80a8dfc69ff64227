#include "core/coordinator/known/measurements.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/base/text.hpp"
#include "core/coordinator/known/usual_time.hpp"
#include "core/queue/speeds.hpp"

namespace dipaco {
namespace {

/// So many others must have measured something, for their median to say what is usual.
constexpr std::size_t kFewest = 2;

/// Whether two measurements differ by no more than noise.
bool is_same(double one, double other) { return std::abs(one - other) <= Speeds::kSame * other; }

std::string describe(const RunState& run, NodeId worker) {
  const KnownNode* const member = run.members.find(worker);
  return "worker " + std::to_string(index(worker)) +
         (member == nullptr || member->machine.empty() ? "" : " on " + member->machine);
}

std::string line(const RunState& run, NodeId worker, const Stragglers::Measured& slow) {
  return describe(run, worker) + " is slow: " + human_seconds(slow.step) + " an inner step, " +
         format_fixed(slow.step / slow.usual, 1) + " times as long as " + slow.whose;
}

}  // namespace

void Measurements::ended(NodeId worker, const TaskDone& message, const GivenTask* given) {
  note_ways(run_, worker, message.ways);
  const std::int32_t usual = usual_length(run_, worker);  // before the task says anything of its speed
  if (message.inner_steps > 0 && message.computing > 0) {
    note_step(worker, Seconds(message.computing / message.inner_steps));
  }
  if (given == nullptr || !given->since) return;
  const bool whole = message.committed && message.inner_steps == given->length;
  // Times of tasks that are longer or shorter than the worker's others cannot be compared with theirs.
  if (!whole || given->length != usual || fetched_from_afar(worker, *given)) return;
  run_.task_times.add(worker, run_.now() - *given->since);
  const auto step = run_.step_times.of(worker);
  const double steps = static_cast<double>(message.inner_steps);
  if (!step) return;
  const Seconds besides = run_.task_times.of(worker)->median - steps * step->median;
  run_.queue.dispatch().reserve().fleet().takes_besides(worker, std::max(besides, Seconds(0)));
}

/// Whether its path's state came from another site, which what a task usually takes has no part in.
bool Measurements::fetched_from_afar(NodeId worker, const GivenTask& given) const {
  const KnownNode* const store = run_.members.find(given.from_store);
  const KnownNode* const member = run_.members.find(worker);
  return store != nullptr && member != nullptr && store->site != member->site;
}

void Measurements::up(NodeId worker) {
  const StepTimeRecord* const noted = noted_step(worker);
  if (noted != nullptr && !run_.step_times.of(worker)) take_step(worker, Seconds(noted->seconds));
}

/// What the journal says of this incarnation of the worker; null: nothing.
const StepTimeRecord* Measurements::noted_step(NodeId worker) const {
  const KnownNode* const member = run_.members.find(worker);
  const auto noted = run_.ledger.state().step_times.find(worker);
  if (member == nullptr || noted == run_.ledger.state().step_times.end()) return nullptr;
  return noted->second.incarnation == member->incarnation ? &noted->second : nullptr;
}

/// From here on it counts as what an inner step takes the worker, with what was measured before.
void Measurements::take_step(NodeId worker, Seconds step) {
  run_.step_times.add(worker, step);
  const double usual = run_.step_times.of(worker)->median.count();
  // No length follows from one task: the shorter that was, the noisier.
  const double counts = run_.lengths.differ() ? usual : step.count();
  run_.queue.dispatch().speed_is(worker, run_.plan.inner_step_cost.value / counts);
  const StepTimeRecord* const noted = noted_step(worker);
  if (noted != nullptr && is_same(noted->seconds, usual)) return;
  const KnownNode* const member = run_.members.find(worker);
  if (member != nullptr) run_.ledger.note(StepTimeRecord{worker, member->incarnation, usual});
}

void Measurements::lost(NodeId worker) {
  run_.step_times.forget(worker);
  run_.task_times.forget(worker);
  run_.stragglers.lost(worker);
}

void Measurements::note_step(NodeId worker, Seconds step) {
  const Stragglers::Measured task = compare(worker, step);
  const auto news = run_.stragglers.measured(worker, task, run_.plan.config.run.straggler_factor);
  take_step(worker, step);
  if (news == Stragglers::News::none) return;
  const bool slow = news == Stragglers::News::slow;
  run_.queue.dispatch().avoid(worker, slow);
  run_.seams.log.record({.time = task.at,
                         .kind = slow ? EventKind::worker_slow : EventKind::worker_recovered,
                         .node = worker,
                         .value = slow ? task.step / task.usual : 0});
  if (!run_.options.note) return;
  run_.options.note(slow ? line(run_, worker, task) + "; see what else runs on its machine"
                         : describe(run_, worker) + " is as fast again as it should be");
}

/// With what is usual, of which there are up to three: the one that the step is farthest above. Its own steps before
/// say how far they scatter.
Stragglers::Measured Measurements::compare(NodeId worker, Seconds step) const {
  constexpr Seconds kUnknown{std::numeric_limits<double>::infinity()};
  Stragglers::Measured task{.step = step, .usual = kUnknown, .at = run_.now()};
  const auto take = [&task](Seconds usual, const char* whose) {
    if (usual >= task.usual) return;
    task.usual = usual;
    task.whose = whose;
  };
  const auto before = run_.step_times.of(worker);
  if (before) take(before->median, "before");
  const KnownNode* const member = run_.members.find(worker);
  if (member != nullptr && member->speed > 0) {
    take(Seconds(run_.plan.inner_step_cost.value / member->speed), "its speed in the scenario says");
  } else if (const auto like = of_its_like(worker)) {
    take(*like, "others like it need");
  }
  task.at_worst = Durations::Estimate{task.usual, before ? before->deviation : Seconds(0)}.at_worst();
  return task;
}

/// The median of workers that compute in the same way; nullopt where too few of them have measured any.
std::optional<Seconds> Measurements::of_its_like(NodeId worker) const {
  const KnownNode* const mine = run_.members.find(worker);
  if (mine == nullptr) return std::nullopt;
  std::vector<Seconds> steps;
  for (const NodeId other : run_.members.with(Role::worker)) {
    if (other == worker || run_.members.at(other).arithmetic != mine->arithmetic) continue;
    if (const auto step = run_.step_times.newest(other)) steps.push_back(*step);
  }
  if (steps.size() < kFewest) return std::nullopt;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::ranges::nth_element(steps, middle);
  return *middle;
}

double known_speed(const RunState& run, NodeId worker, const Hello& hello) {
  const double cost = run.plan.inner_step_cost.value;
  if (const auto measured = run.step_times.newest(worker)) return cost / measured->count();
  const auto told = run.options.step_times.find(hello.machine);
  return hello.speed > 0 || told == run.options.step_times.end() ? hello.speed : cost / told->second.count();
}

void note_ways(RunState& run, NodeId node, const std::vector<MeasuredWay>& ways) {
  const KnownNode* const here = run.members.find(node);
  if (here == nullptr) return;
  for (const MeasuredWay& way : ways) {
    const KnownNode* const there = run.members.find(way.from);
    if (there == nullptr || there->site == here->site) continue;
    run.ways.add(there->site, here->site, way.seconds_a_byte);
    const double takes = run.ways.seconds_a_byte(there->site, here->site).value();
    run.queue.dispatch().reserve().ways().way_takes(there->site, here->site, takes);
    const auto noted = run.ledger.state().ways.find({there->site, here->site});
    const bool same = noted != run.ledger.state().ways.end() && is_same(noted->second, takes);
    if (!same) run.ledger.note(WayRecord{there->site, here->site, takes});
  }
}

std::vector<std::string> slow_workers(const RunState& run) {
  std::vector<std::string> lines;
  for (const auto& [worker, slow] : run.stragglers.all()) {
    lines.push_back(line(run, worker, slow) + ", since " + format_fixed(slow.at.count(), 1) + " s");
  }
  return lines;
}

}  // namespace dipaco

#include "tests/failure/drawn_faults.hpp"

#include <array>
#include <set>

#include "core/base/random.hpp"
#include "core/base/text.hpp"
#include "core/faults/parse.hpp"

namespace dipaco::testing {
namespace {

constexpr std::array kWorkerStages{FaultStage::hello,   FaultStage::gathering, FaultStage::computing,
                                   FaultStage::storing, FaultStage::sending,   FaultStage::evaluating};
constexpr std::array kEvaluatorStages{FaultStage::hello, FaultStage::evaluating, FaultStage::evaluating};
constexpr std::array kExecutorStages{FaultStage::hello, FaultStage::stepping, FaultStage::sending, FaultStage::storing};
constexpr std::array kStoreStages{FaultStage::hello, FaultStage::storing, FaultStage::sending};
constexpr std::array kCoordinatorStages{FaultStage::assigning, FaultStage::storing, FaultStage::finishing};

/// Those before poison, which ends a run on purpose where nobody else is left: test_poison.cpp has it, and
/// tests/faults/test_repeat.cpp what comes after it.
constexpr auto kDrawnKinds = static_cast<std::uint64_t>(FaultKind::poison);

/// Draws one after another.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t below(std::uint64_t bound) { return draw_below(bound, seed_, Draw::jitter, next_++); }
  double uniform() { return draw_uniform(seed_, Draw::jitter, next_++); }
  template <class Items>
  auto one_of(const Items& items) {
    return items[below(items.size())];
  }

 private:
  std::uint64_t seed_;
  std::uint64_t next_ = 0;
};

FaultTarget draw_target(Dice& dice, const FaultSpace& space) {
  const std::uint64_t one = dice.below(10);
  const auto number = [&](int count) {
    return static_cast<std::int32_t>(dice.below(static_cast<std::uint64_t>(count)));
  };
  if (space.evaluators > 0 && one < 2) return {Role::evaluator, number(space.evaluators)};
  if (one < 4) return {Role::worker, number(space.workers)};
  if (one < 6) return {Role::executor, number(space.executors)};
  if (one < 8) return {Role::store, number(space.stores)};
  return {Role::coordinator, 0};
}

FaultStage draw_stage(Dice& dice, Role role) {
  switch (role) {
    case Role::worker:
      return dice.one_of(kWorkerStages);
    case Role::evaluator:
      return dice.one_of(kEvaluatorStages);
    case Role::executor:
      return dice.one_of(kExecutorStages);
    case Role::store:
      return dice.one_of(kStoreStages);
    default:
      return dice.one_of(kCoordinatorStages);
  }
}

Fault draw_fault(Dice& dice, const FaultSpace& space) {
  Fault fault{.kind = static_cast<FaultKind>(dice.below(kDrawnKinds)), .target = draw_target(dice, space)};
  const bool keeps = fault.target.role != Role::worker && fault.target.role != Role::evaluator;
  if (row_of(fault.kind).strikes_writes && !keeps) fault.kind = FaultKind::restart;
  // Ends for good are rare, or every run would be an impossible one.
  if (fault.kind == FaultKind::kill && dice.below(4) > 0) fault.kind = FaultKind::restart;
  if (fault.kind == FaultKind::cut && dice.below(2) == 0) {
    const FaultTarget peer = draw_target(dice, space);
    if (peer != fault.target) fault.peer = peer;
  }
  if (fault.kind != FaultKind::kill) fault.lasting = Seconds(dice.below(2) == 0 ? 0.2 : 8) * (0.5 + dice.uniform());
  if (dice.below(3) == 0) {
    fault.time = space.duration * dice.uniform();
    if (row_of(fault.kind).strikes_writes) fault.stage = FaultStage::storing;
    return fault;
  }
  fault.stage = row_of(fault.kind).strikes_writes ? FaultStage::storing : draw_stage(dice, fault.target.role);
  if (fault.stage == FaultStage::hello || fault.stage == FaultStage::finishing) return fault;
  // Fitting a router and routing documents are at no outer step.
  const bool at_any = fault.stage == FaultStage::evaluating && dice.below(2) == 0;
  if (at_any || (fault.target.role == Role::coordinator && fault.stage == FaultStage::storing)) {
    fault.time = space.duration * dice.uniform();
    return fault;
  }
  fault.outer_step = static_cast<OuterStep>(dice.below(static_cast<std::uint64_t>(space.outer_steps)));
  return fault;
}

}  // namespace

FaultPlan draw_faults(std::uint64_t seed, const FaultSpace& space) {
  Dice dice(seed);
  FaultPlan plan;
  const int faults = space.paths * space.outer_steps / 3;
  for (int k = 0; k < faults; ++k) plan.push_back(draw_fault(dice, space));
  return plan;
}

bool may_be_impossible(const FaultPlan& plan, const FaultSpace& space) {
  std::set<std::int32_t> workers;
  std::set<std::int32_t> executors;
  std::set<std::int32_t> killed_stores;
  std::set<std::int32_t> stores;
  bool coordinator = false;
  bool parted = false;  // the coordinator, from everyone
  for (const Fault& fault : plan) {
    const bool killed = fault.kind == FaultKind::kill;
    const Role role = fault.target.role;
    const bool parts = fault.kind == FaultKind::freeze || fault.kind == FaultKind::cut;
    parted = parted || (parts && role == Role::coordinator && fault.lasting >= space.limit);
    if (role == Role::store) stores.insert(fault.target.number);
    if (fault.peer && fault.peer->role == Role::store) stores.insert(fault.peer->number);
    if (!killed) continue;
    if (role == Role::worker) workers.insert(fault.target.number);
    if (role == Role::executor) executors.insert(fault.target.number);
    if (role == Role::store) killed_stores.insert(fault.target.number);
    coordinator = coordinator || role == Role::coordinator;
  }
  return coordinator || std::ssize(workers) == space.workers || std::ssize(executors) == space.executors ||
         (!killed_stores.empty() && (parted || std::ssize(stores) == space.stores)) ||
         (!executors.empty() && !stores.empty());
}

std::string describe(const FaultPlan& plan) {
  std::string all;
  for (const Fault& fault : plan) all.append(text(fault)).append("; ");
  return all;
}

}  // namespace dipaco::testing

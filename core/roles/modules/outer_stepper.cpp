#include "core/roles/modules/outer_stepper.hpp"

#include <cmath>
#include <utility>

#include "core/base/error.hpp"
#include "core/outer/nesterov.hpp"
#include "core/plan/regions.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

namespace {

std::vector<PartTensor> tensors_of(const PathLayout& layout, std::size_t level) {
  const LevelSlice& slice = layout.levels[level];
  std::vector<PartTensor> tensors;
  for (const TensorSlot& slot : layout.slots) {
    if (slot.offset < slice.offset || slot.offset >= slice.offset + slice.size) continue;
    tensors.push_back({slot.offset - slice.offset, slot.size, slot.name.find("embed") != std::string::npos});
  }
  return tensors;
}

}  // namespace

OuterStepper::OuterStepper(const RunPlan& plan, Archive& archive) : plan_(plan), archive_(archive), shares_(plan) {
  if (plan.config.outer.averaging == "mean") return;
  for (std::size_t level = 0; level < plan.layout.levels.size(); ++level)
    tensors_.push_back(tensors_of(plan.layout, level));
}

const std::vector<PartTensor>& OuterStepper::tensors(ModuleId module) const {
  return tensors_[static_cast<std::size_t>(module.level)];
}

OuterAccumulator OuterStepper::empty_sum(ModuleId module, const Values& parameters) const {
  const std::size_t size = floats_of(parameters).size();
  return OuterAccumulator(by_direction() && size > 0 ? size + tensors(module).size() : size);
}

bool OuterStepper::skips(ModuleId module, Version version) const {
  const bool unfinished = number(version) < plan_.timetable.end();
  return plan_.policy.rounds && unfinished && shares_.contributors(module, version).empty();
}

void OuterStepper::weigh(ModuleId module, OwnedModule& mine) const {
  if (!mine.contributions.empty() || (!plan_.policy.rounds && !mine.contributions.shares().empty())) return;
  auto shares = shares_.of(module, mine.version);
  if (!shares.empty()) mine.contributions.expect(std::move(shares));
}

double OuterStepper::share_of(const OwnedModule& mine, PathId path, std::int32_t inner_steps) const {
  const double share = mine.contributions.shares().at(path);
  if (plan_.config.outer.weighting != "tokens") return share;
  return share * (static_cast<double>(inner_steps) / static_cast<double>(plan_.config.inner.steps));
}

PartView OuterStepper::view(const OwnedModule& mine, Seconds now) const {
  const Contributions& in = mine.contributions;
  const auto end = static_cast<OuterStep>(plan_.timetable.end());
  const auto paths = plan_.policy.rounds ? static_cast<std::int32_t>(in.shares().size()) : in.giving(end);
  return in.view(mine.version, paths, now);
}

Version OuterStepper::next_version(const OwnedModule& mine) const {
  return next(mine.version, plan_.policy.rounds ? 0 : mine.epoch);
}

bool OuterStepper::computes(ModuleId module, Version version) const {
  return plan_.learner->learns() && !archive_.past(module, version);
}

void OuterStepper::add(OwnedModule& mine, const OuterGradient& given, const Values& base, double weight) const {
  if (!computes(given.module, next_version(mine))) return;
  std::vector<float> values = gradient_floats(given.difference, floats_of(mine.parameters).size());
  if (plan_.policy.combine) plan_.policy.combine->adjust(values, floats_of(base), floats_of(mine.parameters));
  if (by_direction()) values = to_radial(values, tensors(given.module));
  mine.sum.add(values, weight, text(given.task.path) + " in " + text(given.module));
}

void OuterStepper::add(OwnedModule& mine, const GradientSum& given) const {
  if (!computes(given.module, next_version(mine))) return;
  check(given.sum.bytes != nullptr, "a sum has values where its module is stepped");
  mine.sum.add_encoded(*given.sum.bytes);
}

void OuterStepper::add(OwnedModule& mine, const RegionDifference& given, double weight) const {
  if (!computes(plan_.topology.whole(given.part), next_version(mine))) return;
  const auto values = gradient_floats(given.difference, floats_of(mine.parameters).size());
  mine.sum.add(values, weight, "region " + std::to_string(plan_.topology.region_of(given.part)));
}

std::vector<Contributions::InHand> OuterStepper::step(ModuleId module, OwnedModule& mine, double scale) const {
  auto taken = mine.contributions.take();
  mine.update = {.dropped = std::exchange(mine.dropped, {}), .scale = scale};
  for (const auto& [what, weight, sender, came] : taken) {
    mine.update.applied.push_back(
        {what.path, what.outer_step, what.base, static_cast<std::int32_t>(what.inner_steps.value), weight});
  }
  if (mine.merging.global) settle_merge(module, mine);
  // A module that no path trains stays as it is (§2.6.2).
  const Version made = next_version(mine);
  if (!taken.empty() && computes(module, made)) average(module, mine, taken.size(), scale);
  mine.version = made;
  ModuleState state = mine.state();
  archive_.settle(module, state);
  mine.parameters = state.parameters;
  mine.velocity = state.velocity;
  mine.update.norm = state.update.norm;
  mine.merging.global.reset();
  return taken;
}

/// The merge is part of the version that is being made.
void OuterStepper::settle_merge(ModuleId module, OwnedModule& mine) const {
  const Version merged = mine.merging.global->version;
  const PathId global = global_contributor(plan_);
  const double weight = plan_.regional_optimizer->merging().weight;
  mine.update.applied.push_back({global, OuterStep{number(merged)}, merged, 0, weight});
  mine.contributions.settle(global, next(OuterStep{number(merged)}));
  mine.contributions.settle(region_contributor(plan_, module), OuterStep{number(mine.version)});
}

/// Steps the parameters by the sum of what is in hand.
void OuterStepper::average(ModuleId module, OwnedModule& mine, std::size_t paths, double scale) const {
  const bool sqrt = plan_.config.outer.rescale == "sqrt";
  std::vector<float> delta = mine.sum.mean(rescale_factor(sqrt, paths) * scale);
  if (by_direction()) delta = from_radial(delta, tensors(module));
  double norm = 0;
  for (const float d : delta) norm += static_cast<double>(d) * d;
  mine.update.norm = std::sqrt(norm);
  std::vector<float> parameters = copy_of(mine.parameters);
  std::vector<float> velocity = copy_of(mine.velocity);
  const auto members = static_cast<std::int32_t>(mine.contributions.shares().size());
  if (mine.merging.global) {
    const std::span<float> merge_point = std::span(velocity).last(parameters.size());
    plan_.regional_optimizer->merge(parameters, merge_point, floats_of(mine.merging.global->parameters));
  }
  const StepInfo info{.version = mine.version, .paths = members, .merged = merged_version(plan_, module, mine)};
  step_module(plan_, module, info, parameters, velocity, delta);
  mine.parameters = make_values(std::move(parameters), mine.parameters.charged);
  mine.velocity = make_values(std::move(velocity), mine.velocity.charged);
  mine.sum.clear();
}

}  // namespace dipaco

#include "core/roles/modules/outer_stepper.hpp"

#include <cmath>
#include <utility>

#include "core/outer/nesterov.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

void OuterStepper::learn(const ShardSizes& sizes) {
  const bool equal = plan_.config.outer.weighting == "equal";
  sizes_.emplace(sizes.phase, equal ? plan_.shard_weights : sizes.sizes);
}

bool OuterStepper::knows_sizes(OuterStep outer_step) const {
  return sizes_.contains(plan_.timetable.phase_of(outer_step));
}

/// The paths that may give to the module's step from this version: in rounds those that train at that outer step.
std::vector<PathId> OuterStepper::contributors(ModuleId module, Version version) const {
  std::vector<PathId> paths = plan_.topology.paths_through(module);
  if (plan_.policy.rounds) {
    std::erase_if(paths, [&](PathId path) { return !plan_.timetable.trains(path, OuterStep{number(version)}); });
  }
  return paths;
}

bool OuterStepper::skips(ModuleId module, Version version) const {
  const bool unfinished = number(version) < plan_.config.outer.steps;
  return plan_.policy.rounds && unfinished && contributors(module, version).empty();
}

void OuterStepper::weigh(ModuleId module, OwnedModule& mine) const {
  if (!mine.contributions.empty() || (!plan_.policy.rounds && !mine.contributions.shares().empty())) return;
  const auto known = sizes_.find(plan_.policy.rounds ? plan_.timetable.phase_of(OuterStep{number(mine.version)}) : 0);
  if (known == sizes_.end()) return;
  const auto paths = contributors(module, mine.version);
  std::vector<double> sizes;
  for (const PathId path : paths) sizes.push_back(known->second[static_cast<std::size_t>(index(path))]);
  const auto weights = path_weights(sizes);
  std::map<PathId, double> shares;
  for (std::size_t k = 0; k < paths.size(); ++k) shares[paths[k]] = weights[k];
  mine.contributions.expect(std::move(shares));
}

PartView OuterStepper::view(const OwnedModule& mine, Seconds now) const {
  const Contributions& in = mine.contributions;
  const auto end = static_cast<OuterStep>(plan_.config.outer.steps);
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
  std::vector<float> values = gradient_floats(given.difference, mine.sum.size());
  if (plan_.policy.combine) plan_.policy.combine->adjust(values, floats_of(base), floats_of(mine.parameters));
  mine.sum.add(values, weight, text(given.task.path) + " in " + text(given.module));
}

std::vector<Contributions::InHand> OuterStepper::step(ModuleId module, OwnedModule& mine, double scale) const {
  auto taken = mine.contributions.take();
  mine.update = {.dropped = std::exchange(mine.dropped, {}), .scale = scale};
  for (const auto& [what, weight, sender, came] : taken) {
    mine.update.applied.push_back(
        {what.path, what.outer_step, what.base, static_cast<std::int32_t>(what.inner_steps.value), weight});
  }
  // A module that no path trains stays as it is (§2.6.2).
  const Version made = next_version(mine);
  if (!taken.empty() && computes(module, made)) average(mine, taken.size(), scale);
  mine.version = made;
  ModuleState state = mine.state();
  archive_.settle(module, state);
  mine.parameters = state.parameters;
  mine.velocity = state.velocity;
  mine.update.norm = state.update.norm;
  return taken;
}

/// Steps the parameters by the sum of what is in hand.
void OuterStepper::average(OwnedModule& mine, std::size_t paths, double scale) const {
  const bool sqrt = plan_.config.outer.rescale == "sqrt";
  const auto delta = mine.sum.mean(rescale_factor(sqrt, paths) * scale);
  double norm = 0;
  for (const float d : delta) norm += static_cast<double>(d) * d;
  mine.update.norm = std::sqrt(norm);
  std::vector<float> parameters = copy_of(mine.parameters);
  std::vector<float> velocity = copy_of(mine.velocity);
  const auto members = static_cast<std::int32_t>(mine.contributions.shares().size());
  step_module(plan_, {.version = mine.version, .paths = members}, parameters, velocity, delta);
  mine.parameters = make_values(std::move(parameters), mine.parameters.charged);
  mine.velocity = make_values(std::move(velocity), mine.velocity.charged);
  mine.sum.clear();
}

}  // namespace dipaco

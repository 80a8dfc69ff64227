#include "core/roles/modules/outer_stepper.hpp"

#include <cmath>
#include <utility>

#include "core/base/error.hpp"
#include "core/outer/nesterov.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

bool OuterStepper::skips(ModuleId module, Version version) const {
  const bool unfinished = number(version) < plan_.timetable.end();
  return plan_.policy.rounds && unfinished && shares_.contributors(module, version).empty();
}

void OuterStepper::weigh(ModuleId module, OwnedModule& mine) const {
  if (!mine.contributions.empty() || (!plan_.policy.rounds && !mine.contributions.shares().empty())) return;
  auto shares = shares_.of(module, mine.version);
  if (!shares.empty()) mine.contributions.expect(std::move(shares));
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
  std::vector<float> values = gradient_floats(given.difference, mine.sum.size());
  if (plan_.policy.combine) plan_.policy.combine->adjust(values, floats_of(base), floats_of(mine.parameters));
  mine.sum.add(values, weight, text(given.task.path) + " in " + text(given.module));
}

void OuterStepper::add(OwnedModule& mine, const GradientSum& given) const {
  if (!computes(given.module, next_version(mine))) return;
  check(given.sum.bytes != nullptr, "a sum has values where its module is stepped");
  mine.sum.add_encoded(*given.sum.bytes);
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

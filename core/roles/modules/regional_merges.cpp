#include "core/roles/modules/regional_merges.hpp"

#include <algorithm>
#include <variant>

#include "core/plan/regions.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {
namespace {

GradientValues encoded(const RunPlan& plan, std::int32_t level, const std::vector<float>& difference) {
  GradientValues values{.format = gradient_format(plan.config.outer.outer_gradient_format),
                        .charged = plan.charged.levels[static_cast<std::size_t>(level)].size};
  auto bytes = encode_gradient(values.format, difference);
  if (!bytes.empty()) values.bytes = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return values;
}

}  // namespace

RegionDifference difference_of(const RunPlan& plan, ModuleId part, const OwnedModule& mine) {
  const OuterRegional& optimizer = *plan.regional_optimizer;
  const Version merged = merged_version(plan, part, mine);
  const auto parameters = floats_of(mine.parameters);
  const auto array = floats_of(mine.velocity).last(parameters.size());
  const bool cut = optimizer.is_cut(mine.version, merged);
  const std::int64_t since = std::int64_t{number(mine.version)} - number(merged);
  const OuterStep global = mine.contributions.settled(global_contributor(plan));
  return {.part = part,
          .merged = number(merged),
          .base = std::max(0, number(global) - 1),
          .versions = static_cast<std::int32_t>(std::min(since, optimizer.merging().every)),
          .difference = encoded(plan, part.level, optimizer.difference(cut, parameters, array))};
}

bool RegionalMerges::take(Modules& modules, NodeId from, Body& body) {
  if (auto* difference = std::get_if<RegionDifference>(&body)) {
    came_.push_back({from, std::move(*difference)});
  } else if (const auto* answer = std::get_if<GlobalParameters>(&body)) {
    const auto found = modules.find(answer->part);
    if (found != modules.end()) take(found->second, *answer);
  } else if (const auto* last = std::get_if<LastDifference>(&body)) {
    const auto found = modules.find(last->part);
    if (found != modules.end()) found->second.merging.last = last->version;
  } else if (const auto* owners = std::get_if<Owners>(&body)) {
    for (const Owner& owner : owners->owners) {
      Owner& known = owners_[owner.module];
      if (owner.epoch >= known.epoch) known = owner;
      for (const ModuleId part : plan_.topology.regional_parts(owner.module)) {
        const auto found = modules.find(part);
        if (found == modules.end() || !found->second.merging.sends_again_at) continue;
        found->second.merging.sends_again_at.reset();
        found->second.merging.sent.reset();
      }
    }
  } else {
    return false;
  }
  return true;
}

/// One to an earlier difference, or to the last, is of no use.
void RegionalMerges::take(OwnedModule& mine, const GlobalParameters& answer) const {
  const Version merged = merged_version(plan_, answer.part, mine);
  const bool awaited = mine.here && number(merged) == answer.merged;
  if (!awaited || mine.merging.global || !plan_.regional_optimizer->is_cut(mine.version, merged)) return;
  mine.merging.global = {answer.version, answer.parameters};
}

void RegionalMerges::lost(Modules& modules, NodeId node, Seconds now) {
  std::erase_if(awaited_, [node](const auto& entry) { return entry.second.to == node; });
  std::erase_if(came_, [node](const Came& each) { return each.from == node; });
  for (auto& [part, mine] : modules) {
    if (!plan_.topology.is_regional(part) || !mine.merging.sent || mine.merging.global) continue;
    if (owners_[plan_.topology.whole(part)].executor != node) continue;
    mine.merging.sends_again_at = now + plan_.config.liveness.period;
  }
}

std::optional<ModuleId> RegionalMerges::add_next(Modules& modules, const OuterStepper& stepper, Seconds now) {
  for (auto each = came_.begin(); each != came_.end();) {
    const RegionDifference& what = each->what;
    const ModuleId global = plan_.topology.whole(what.part);
    const auto found = modules.find(global);
    const bool owned = found != modules.end() && what.epoch <= found->second.epoch;
    if (!owned || !found->second.here) {  // this executor may be its owner soon
      ++each;
      continue;
    }
    OwnedModule& mine = found->second;
    const PathId region = region_contributor(plan_, what.part);
    const Came came = std::move(*each);
    each = came_.erase(each);
    const bool known = mine.contributions.settled(region) > OuterStep{came.what.merged};
    const Version makes = next(mine.version, mine.epoch);
    const Version has = known ? first_with(global, region, came.what.merged).value_or(mine.version) : makes;
    awaited_[what.part] = {came.from, came.what.merged, has};
    if (known) continue;
    stepper.weigh(global, mine);
    const double share = mine.contributions.shares().at(region);
    const ContributionView view{region, OuterStep{came.what.merged}, Version{came.what.base},
                                InnerSteps{came.what.versions}, share};
    stepper.add(mine, came.what, share);
    mine.contributions.add({view, share, NodeId{-1}, now});
    return global;
  }
  return std::nullopt;
}

void RegionalMerges::run(Modules& modules, Seconds now) {
  for (auto& [part, mine] : modules) {
    if (is_due(part, mine, now)) send_difference(part, mine);
  }
  answer(modules);
  for (const GlobalParameters& each : std::exchange(own_, {})) {
    const auto found = modules.find(each.part);
    if (found != modules.end()) take(found->second, each);
  }
}

bool RegionalMerges::unsent(const Modules& modules) const {
  return std::ranges::any_of(modules,
                             [](const auto& entry) { return entry.second.merging.sends_again_at.has_value(); });
}

bool RegionalMerges::is_due(ModuleId part, const OwnedModule& mine, Seconds now) const {
  if (!plan_.topology.is_regional(part) || !mine.here || mine.merging.global) return false;
  const auto owner = owners_.find(plan_.topology.whole(part));
  if (owner == owners_.end() || owner->second.executor == NodeId{-1}) return false;
  const Version merged = merged_version(plan_, part, mine);
  const bool cut = plan_.regional_optimizer->is_cut(mine.heard, merged);
  const bool last = mine.merging.last && *mine.merging.last == mine.version && mine.heard == mine.version;
  if (!cut && !last) return false;
  const auto& [global, ends, sent, sent_to, again] = mine.merging;
  return sent != number(merged) || sent_to != owner->second.epoch || (again && *again <= now);
}

void RegionalMerges::send_difference(ModuleId part, OwnedModule& mine) {
  const Owner& owner = owners_.at(plan_.topology.whole(part));
  RegionDifference difference = difference_of(plan_, part, mine);
  difference.epoch = owner.epoch;
  mine.merging.sent = difference.merged;
  mine.merging.sent_to = owner.epoch;
  mine.merging.sends_again_at.reset();
  if (owner.executor == transport_.self()) return came_.push_back({owner.executor, std::move(difference)});
  transport_.send(owner.executor, make_message(std::move(difference)));
}

/// Whose differences are in a version that the coordinator has.
void RegionalMerges::answer(Modules& modules) {
  for (auto each = awaited_.begin(); each != awaited_.end();) {
    const ModuleId global = plan_.topology.whole(each->first);
    const auto found = modules.find(global);
    if (found == modules.end() || !found->second.here) {  // who becomes its owner is sent the difference again
      each = awaited_.erase(each);
      continue;
    }
    const OwnedModule& mine = found->second;
    const auto& [to, merged, has] = each->second;
    if (number(mine.heard) < number(has)) {
      ++each;
      continue;
    }
    const bool older = has != mine.version && files_.has(global, has);
    GlobalParameters given{each->first, merged, older ? has : mine.version,
                           older ? files_.read(global, has).parameters : mine.parameters};
    if (!older && number(mine.heard) < number(mine.version)) {
      ++each;  // the newest is not the coordinator's yet
      continue;
    }
    if (to == transport_.self()) {
      own_.push_back(std::move(given));
    } else {
      transport_.send(to, make_message(std::move(given)));
    }
    each = awaited_.erase(each);
  }
}

/// Of those that are kept.
std::optional<Version> RegionalMerges::first_with(ModuleId global, PathId region, std::int32_t merged) const {
  for (const Version version : files_.versions(global)) {
    for (const SettledPath& each : files_.read(global, version).settled) {
      if (each.path == region && number(each.outer_step) > merged) return version;
    }
  }
  return std::nullopt;
}

}  // namespace dipaco

#include "core/state/archive_past.hpp"

#include <algorithm>
#include <string>
#include <variant>

#include "core/base/error.hpp"
#include "core/plan/giving.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

ArchivePast::ArchivePast(const RunPlan& plan, const StateFiles& states, const ModuleFiles& modules,
                         std::span<const ArchiveRecord> records)
    : plan_(plan) {
  for (const ArchiveRecord& record : records) {
    if (const auto* loss = std::get_if<LossRecord>(&record)) {
      read(*loss);
    } else if (const auto* refused = std::get_if<RefusedAttemptRecord>(&record)) {
      refused_[{refused->path, refused->outer_step, refused->epoch}] = refused->losses;
    }
  }
  read_values(states, modules);
  read_norms(records);
  check_whole();
}

void ArchivePast::read(const LossRecord& loss) {
  const auto first = static_cast<std::size_t>(loss.first);
  const auto most = static_cast<std::size_t>(plan_.config.inner.steps);
  if (first > most || loss.losses.size() > most - first) {
    throw DataError("the archive has losses of steps behind a task's last; go on with the archive of this run only");
  }
  Losses& losses = losses_[{loss.path, loss.outer_step}];
  losses.resize(std::max(losses.size(), first + loss.losses.size()));
  std::copy(loss.losses.begin(), loss.losses.end(), losses.begin() + static_cast<std::ptrdiff_t>(first));
}

void ArchivePast::read_values(const StateFiles& states, const ModuleFiles& modules) {
  for (const HeldState& held : states.held()) {
    const PathStateBody& state = states_[{held.path, held.version}] = states.read(held.path, held.version);
    given_[{held.path, held.version}] =
        exchanges_gradients(plan_) ? states.gradient(held.path, held.version) : state.parameters;
    newest_[held.path] = states.newest(held.path);
  }
  for (const HeldModule& held : modules.held()) {
    for (const Version version : modules.versions(held.module)) {
      modules_.try_emplace({held.module, version}, modules.read(held.module, version));
    }
  }
}

/// Records may be ahead of the files: what was computed of a module ends with the last record whose values are there.
void ArchivePast::read_norms(std::span<const ArchiveRecord> records) {
  for (const ArchiveRecord& record : records) {
    const auto* norm = std::get_if<NormRecord>(&record);
    if (norm != nullptr && modules_.contains({norm->module, norm->version})) last_[norm->module] = norm->version;
  }
  std::set<ModuleId> ended;
  for (const ArchiveRecord& record : records) {
    const auto* norm = std::get_if<NormRecord>(&record);
    if (norm == nullptr || !last_.contains(norm->module) || ended.contains(norm->module)) continue;
    norms_[{norm->module, norm->version}] = norm->norm;
    if (norm->version == last_.at(norm->module)) ended.insert(norm->module);
  }
}

/// Values are kept in the order of their causes (docs/decisions/0009).
void ArchivePast::check_whole() const {
  for (const auto& [key, state] : modules_) {
    if (norms_.contains(key)) continue;
    throw DataError("the archive has version " + std::to_string(number(key.second)) + " of " + text(key.first) +
                    " without its norm; begin the run anew");
  }
  for (const ModuleId module : plan_.topology.modules()) {
    if (plan_.topology.path_specific(module)) continue;
    for (const PathId path : plan_.topology.paths_through(module)) {
      if (whole(module, path)) continue;
      const auto last = last_.find(module);
      throw DataError("the archive has version " + std::to_string(last == last_.end() ? 0 : number(last->second)) +
                      " of " + text(module) + " and state " + std::to_string(newest(path)) + " of " + text(path) +
                      ", which cannot both be its newest: files are missing; restore them, or begin the run anew");
    }
  }
}

/// In rounds a path's newest state is the module's version or the next, or, where nothing was given since, an earlier
/// one. Without them it is at least what the module's last version has of the path.
bool ArchivePast::whole(ModuleId module, PathId path) const {
  const auto last = last_.find(module);
  const Version version = last == last_.end() ? Version{} : last->second;
  const std::int32_t state = newest(path);
  if (plan_.policy.rounds) {
    const OuterStep step{number(version)};
    const bool trained = state == version_after(step) && plan_.timetable.trains(path, step);
    const std::int32_t at = plan_.timetable.state_version(path, number(version));
    return trained || (state <= at && state >= number(given_before(plan_, path, at)));
  }
  if (last == last_.end()) return true;
  const auto& settled = modules_.at({module, version}).settled;
  return std::ranges::all_of(
      settled, [&](const SettledPath& each) { return each.path != path || number(each.outer_step) <= state; });
}

std::span<const double> ArchivePast::losses(TaskId task, std::size_t first, std::size_t end) const {
  const auto found = losses_.find({task.path, task.outer_step});
  if (found == losses_.end() || found->second.size() < end) {
    throw DataError("the archive has the result of " + text(task.path) + " at outer step " +
                    std::to_string(number(task.outer_step)) + " without its losses; begin the run anew");
  }
  return std::span(found->second).first(end).subspan(first);
}

const ArchivePast::Losses* ArchivePast::refused(const AttemptId& attempt) const {
  const auto found = refused_.find(key(attempt));
  return found == refused_.end() ? nullptr : &found->second;
}

const PathStateBody* ArchivePast::state(PathId path, std::int32_t version) const {
  const auto found = states_.find({path, version});
  return found == states_.end() ? nullptr : &found->second;
}

const Values* ArchivePast::given(PathId path, std::int32_t version) const {
  const auto found = given_.find({path, version});
  return found == given_.end() ? nullptr : &found->second;
}

const ModuleState* ArchivePast::module(ModuleId module, Version version) const {
  const auto found = modules_.find({module, version});
  return found == modules_.end() ? nullptr : &found->second;
}

std::int32_t ArchivePast::newest(PathId path) const {
  const auto found = newest_.find(path);
  return found == newest_.end() ? 0 : found->second;
}

std::set<std::pair<ModuleId, Version>> ArchivePast::versions() const {
  std::set<std::pair<ModuleId, Version>> all;
  for (const auto& [key, norm] : norms_) all.insert(key);
  return all;
}

}  // namespace dipaco

#include "core/coordinator/known/restored.hpp"

#include "core/base/error.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {
namespace {

void restore_lengths(const RunState& run, const PathRecord& record, PathEntry& path) {
  if (!run.lengths.differ()) {
    const auto each = static_cast<std::int32_t>(run.plan.config.inner.steps);
    path.length = record.epoch > 0 ? each : 0;
    path.state_length = record.version > 0 ? each : 0;
    path.trained = std::int64_t{each} * run.plan.timetable.tasks_before(record.path, OuterStep{record.version});
    return;
  }
  const auto known = run.ledger.state().measured_paths.find(record.path);
  if (known == run.ledger.state().measured_paths.end()) return;
  path.length = known->second.length;
  path.state_length = known->second.state_length;
  path.trained = known->second.trained;
}

}  // namespace

PathEntry restored_path(const RunState& run, const PathRecord& record, bool run_goes_on) {
  PathEntry path;
  path.version = record.version;
  path.state_epoch = record.state_epoch;
  path.inner_steps = path.attempt.first_inner_step = record.inner_steps;
  path.attempt.epoch = record.epoch;
  path.last_epoch = record.last_epoch;
  path.site = record.site;
  path.attempt.worker = run_goes_on ? record.worker : NodeId{-1};
  path.attempt.to_stores = record.to_stores;
  path.base = record.base;
  path.state_base = record.state_base;
  path.since = run.now();
  restore_lengths(run, record, path);
  return path;
}

void note_place(RunState& run, const PlaceRecord& place) {
  const auto known = run.ledger.state().places.find(place.node);
  const bool same = known != run.ledger.state().places.end() && known->second.site == place.site &&
                    known->second.speed == place.speed;
  if (!same) run.ledger.note(place);
}

void expect_busy_workers(RunState& run) {
  for (std::int32_t p = 0; p < run.queue.paths().size(); ++p) {
    const PathEntry& path = run.queue.path(PathId{p});
    const auto known = run.ledger.state().places.find(path.attempt.worker);
    if (path.phase != PathEntry::Phase::running || known == run.ledger.state().places.end()) continue;
    const PlaceRecord& worker = known->second;
    run.queue.dispatch().worker_up(worker.node, worker.site, worker.speed, false);
  }
}

void check_nothing_missing(const RunState& run) {
  constexpr const char* kRemedy = ", the journal says so; restore the storage of all nodes, or begin the run anew";
  for (std::int32_t p = 0; p < run.plan.topology.paths(); ++p) {
    const std::int32_t version = run.queue.path(PathId{p}).version;
    if (version > 0 && run.holders.of(PathId{p}, version).empty()) {
      throw DataError("no store has version " + std::to_string(version) + " of " + text(PathId{p}) + kRemedy);
    }
  }
  for (const ModuleId module : run.ownership.modules()) {
    if (run.ownership.owner(module).executor != NodeId{-1}) continue;
    throw DataError("no executor or store has version " + std::to_string(number(run.queue.modules().version(module))) +
                    " of " + text(module) + kRemedy);
  }
}

}  // namespace dipaco

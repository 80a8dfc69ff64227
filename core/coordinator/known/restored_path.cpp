#include "core/coordinator/known/restored_path.hpp"

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

}  // namespace dipaco

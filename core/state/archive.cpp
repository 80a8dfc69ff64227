#include "core/state/archive.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <string>

#include "core/base/error.hpp"
#include "core/checkpoint/journal.hpp"
#include "core/prepare/shard_file.hpp"
#include "core/state/archive_records.hpp"
#include "core/state/finite.hpp"
#include "core/state/path_values.hpp"
#include "core/transport/fields.hpp"

namespace dipaco {
namespace {

constexpr const char* kRecords = "records";

template <class Id, class Count>
bool reaches(const std::map<Id, Count>& newest, Id id, Count version) {
  const auto found = newest.find(id);
  return found != newest.end() && version <= found->second;
}

void set_losses(InnerReport& report, std::span<const double> losses) {
  report.losses.assign(losses.begin(), losses.end());
  report.loss_sum = 0;
  for (const double loss : losses) report.loss_sum += loss;  // in order, as the trainer does
}

std::uint64_t bytes_of(std::span<const Values* const> values) {
  std::uint64_t floats = 0;
  for (const Values* each : values) floats += each->data == nullptr ? 0 : each->data->size();
  return floats * sizeof(float);
}

}  // namespace

Archive::Archive(const RunPlan& plan, std::unique_ptr<Storage> storage)
    : plan_(plan),
      storage_(std::move(storage)),
      state_files_(plan, *storage_),
      module_files_(plan, *storage_),
      phase_files_(plan, *storage_),
      retention_(plan.timetable, plan.topology),
      writer_(*storage_, kRecords, read_records()) {
  check(plan.learner != nullptr, "only what is learned is kept");
  if (!plan.policy.rounds) {
    throw ConfigError("outer.policy=" + plan.policy.name +
                      " has no rounds, and a simulation of it cannot be stopped and resumed yet; run it without state");
  }
  for (const HeldState& held : state_files_.held()) {
    states_[{held.path, held.version}] = state_files_.read(held.path, held.version);
    path_past_[held.path] = state_files_.newest(held.path);
  }
  for (const HeldModule& held : module_files_.held()) {
    module_past_[held.module] = held.version;
    for (const Version version : module_files_.versions(held.module)) {
      modules_[{held.module, version}] = module_files_.read(held.module, version);
    }
  }
  path_newest_ = path_past_;
  module_newest_ = module_past_;
  check_whole();
  for (std::int32_t phase = 1; phase <= phase_files_.past(); ++phase) resharded_.insert(phase);
  release_evaluated();
}

const PhaseRouting& Archive::phase_routing(std::int32_t phase) {
  if (!phase_files_.in_memory(phase)) writer_.flush();  // nobody writes while this reads
  return phase_files_.read(phase);
}

std::optional<std::vector<Shard>> Archive::shards(std::int32_t phase) {
  if (phase > phase_files_.past()) return std::nullopt;
  return phase_routing(phase).shards;
}

/// Values are kept in the order of their causes (docs/decisions/0009): of each path through a module the newest state
/// is the module's version or the next.
void Archive::check_whole() const {
  const auto newest = [](const auto& past, auto id) {
    const auto found = past.find(id);
    return found == past.end() ? typename std::decay_t<decltype(past)>::mapped_type{} : found->second;
  };
  for (const ModuleId module : plan_.topology.modules()) {
    if (plan_.topology.path_specific(module)) continue;
    const std::int32_t version = number(newest(module_past_, module));
    for (const PathId path : plan_.topology.paths_through(module)) {
      const std::int32_t state = newest(path_past_, path);
      const bool trained = state == version + 1 && plan_.timetable.trains(path, version);
      if (trained || state == plan_.timetable.state_version(path, version)) continue;
      throw DataError("the archive has version " + std::to_string(version) + " of " + text(module) + " and state " +
                      std::to_string(state) + " of " + text(path) +
                      ", which cannot both be its newest: files are missing; restore them, or begin the run anew");
    }
  }
}

/// Returns the journal's size.
std::uint64_t Archive::read_records() {
  const auto bytes = storage_->get(kRecords);
  const Journal journal = bytes ? read_journal(*bytes, kRecords) : Journal{};
  for (const auto& record : journal.records) read_record(record, kRecords);
  // A torn end was of what nothing follows from.
  const std::vector<std::byte> whole =
      journal.whole == 0 ? begin_journal()
                         : std::vector(bytes->begin(), bytes->begin() + static_cast<std::ptrdiff_t>(journal.whole));
  if (!bytes || bytes->size() != whole.size()) storage_->put(kRecords, whole);
  return whole.size();
}

void Archive::read_record(std::span<const std::byte> bytes, const std::string& source) {
  const ArchiveRecord record = decode_archive_record(bytes, source);
  if (const auto* loss = std::get_if<LossRecord>(&record)) {
    const auto first = static_cast<std::size_t>(loss->first);
    const auto most = static_cast<std::size_t>(plan_.config.inner.steps);
    if (first > most || loss->losses.size() > most - first) {
      throw DataError(source + ": losses of steps behind a task's last; go on with the archive of this run only");
    }
    Losses& losses = losses_[{loss->path, loss->outer_step}];
    losses.resize(std::max(losses.size(), first + loss->losses.size()));
    std::copy(loss->losses.begin(), loss->losses.end(), losses.begin() + static_cast<std::ptrdiff_t>(first));
  } else if (const auto* norm = std::get_if<NormRecord>(&record)) {
    norms_[{norm->module, norm->version}] = norm->norm;
  } else if (const auto* refused = std::get_if<RefusedAttemptRecord>(&record)) {
    refused_[{refused->path, refused->outer_step, refused->epoch}] = refused->losses;
  } else {
    const auto& score = std::get<Evaluated>(record);
    scores_[{score.version, score.purpose}][score.path] = {score.nats, score.tokens, score.bytes, score.documents};
    if (score.purpose == Purpose::early_stopping) note_best(best_, score);
  }
}

bool Archive::past(const AttemptId& attempt) const { return past(attempt.task) || refused_.contains(key(attempt)); }

bool Archive::past(TaskId task) const { return reaches(path_past_, task.path, task.outer_step + 1); }

bool Archive::past(ModuleId module, Version version) const { return reaches(module_past_, module, version); }

std::optional<Score> Archive::score(const Evaluate& request) const {
  const auto scores = scores_.find({request.version, request.purpose});
  if (scores == scores_.end()) return std::nullopt;
  const auto found = scores->second.find(request.path);
  return found == scores->second.end() ? std::nullopt : std::optional(found->second);
}

void Archive::settle(const AttemptId& attempt, std::int64_t first, InnerReport& report) {
  const TaskId task = attempt.task;
  if (const auto refused = refused_.find(key(attempt)); refused != refused_.end()) {
    set_losses(report, refused->second);
    return;
  }
  if (!past(task)) {
    if (report.done.value > 0) {
      writer_.write(encode_archive_record(LossRecord{task.path, task.outer_step, first, report.losses}));
    }
    return;
  }
  const auto found = losses_.find({task.path, task.outer_step});
  const auto end = static_cast<std::size_t>(first + report.done.value);
  if (found == losses_.end() || found->second.size() < end) {
    throw DataError("the archive has the result of " + text(task.path) + " at outer step " +
                    std::to_string(task.outer_step) + " without its losses; begin the run anew");
  }
  set_losses(report, std::span(found->second).first(end).subspan(static_cast<std::size_t>(first)));
}

void Archive::settle(const AttemptId& attempt, PathStateBody& state, const InnerReport& report) {
  if (refused_.contains(key(attempt))) {
    state.loss_sum = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  if (!all_finite(state)) {
    writer_.write(encode_archive_record(
        RefusedAttemptRecord{attempt.task.path, attempt.task.outer_step, attempt.epoch, report.losses}));
    return;
  }
  if (state.inner_steps > 0) return;  // a part: nobody starts from it in another process
  const auto held = states_.find({state.path, state.version});
  if (held != states_.end()) state = held->second;
  if (reaches(path_newest_, state.path, state.version)) return;
  path_newest_[state.path] = state.version;
  const Values* const values[] = {&state.parameters, &state.first_moment, &state.second_moment, &state.velocity};
  writer_.write([this, state] { state_files_.keep(state, 0, NodeId{-1}); }, bytes_of(values));
}

void Archive::settle(ModuleId module, ModuleState& state) {
  if (past(module, state.version)) {
    const auto norm = norms_.find({module, state.version});
    if (norm == norms_.end()) {
      throw DataError("the archive has version " + std::to_string(number(state.version)) + " of " + text(module) +
                      " without its norm; begin the run anew");
    }
    state.update.norm = norm->second;
    const auto held = modules_.find({module, state.version});
    if (held == modules_.end()) return;
    state.parameters = held->second.parameters;
    state.velocity = held->second.velocity;
  }
  if (reaches(module_newest_, module, state.version)) return;
  module_newest_[module] = state.version;
  writer_.write(encode_archive_record(NormRecord{module, state.version, state.update.norm}));
  const Values* const values[] = {&state.parameters, &state.velocity};
  writer_.write([this, module, state] { module_files_.keep(module, state); }, bytes_of(values));
}

void Archive::keep(const Evaluate& request, const Score& score) {
  const auto& [path, version, purpose, store, owners, base] = request;
  if (!scores_[{version, purpose}].emplace(path, score).second) return;
  const Evaluated record{path, version, purpose, score.nats, score.tokens, score.bytes, score.documents};
  if (purpose == Purpose::early_stopping) note_best(best_, record);
  writer_.write(encode_archive_record(record));
  release_evaluated();
}

void Archive::keep(std::int32_t phase, const std::string& router, const std::vector<Shard>& shards) {
  if (!resharded_.insert(phase).second) return;
  auto encoded = encode_shards(shards);
  const std::uint64_t size = encoded.size() + router.size();
  writer_.write([this, phase, router, encoded = std::move(encoded)] { phase_files_.keep(phase, router, encoded); },
                size);
  release_evaluated();
}

/// Values at versions that all paths were evaluated at are not needed for that any more.
void Archive::release_evaluated() {
  const auto done = [&](std::int32_t version, Purpose purpose) {
    if (purpose == Purpose::routing) return resharded_.contains(plan_.timetable.phase_of(version));
    const auto scores = scores_.find({version, purpose});
    return scores != scores_.end() && std::ssize(scores->second) == plan_.topology.paths();
  };
  Released released{retention_.released().version, {}};
  for (std::int32_t next = released.version + 1; next < plan_.config.outer.steps; ++next) {
    const auto due = plan_.timetable.due(next);
    if (!std::all_of(due.begin(), due.end(), [&](Purpose purpose) { return done(next, purpose); })) break;
    if (!due.empty()) released.version = next;
  }
  for (const auto& [path, best] : best_) released.best.push_back({path, best.version});
  if (!retention_.release(released)) return;
  writer_.write(
      [this, released] {
        state_files_.release(released);
        module_files_.release(released);
      },
      0);
}

}  // namespace dipaco

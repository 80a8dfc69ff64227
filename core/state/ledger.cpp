#include "core/state/ledger.hpp"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/checkpoint/journal.hpp"
#include "core/state/records.hpp"

namespace dipaco {
namespace {

constexpr const char* kJournal = "journal";
/// A journal is rewritten at so many times its size after the last time, and not below this size.
constexpr std::uint64_t kGrowth = 4;
constexpr std::uint64_t kSmall = 16 * 1024;

}  // namespace

std::vector<std::byte> encode(LedgerRecord record) { return encode_record(std::move(record)); }

LedgerRecord decode_ledger_record(std::span<const std::byte> bytes, const std::string& source) {
  return decode_record<LedgerRecord>(bytes, source);
}

void LedgerState::apply(const LedgerRecord& record) {
  if (const auto* first = std::get_if<RunRecord>(&record)) {
    run = *first;
  } else if (const auto* member = std::get_if<MemberRecord>(&record)) {
    members[member->node] = member->role;
  } else if (const auto* owner = std::get_if<Owner>(&record)) {
    owners[owner->module] = *owner;
  } else if (const auto* module = std::get_if<ModuleRecord>(&record)) {
    apply(*module);
  } else if (const auto* path = std::get_if<PathRecord>(&record)) {
    apply(*path);
  } else if (const auto* task = std::get_if<RefusedTaskRecord>(&record)) {
    refused[task->path] = *task;
  } else if (const auto* row = std::get_if<RefusalsRecord>(&record)) {
    refusals[row->worker] = *row;
    if (row->in_a_row == 0) refusals.erase(row->worker);
  } else if (const auto* score = std::get_if<Evaluated>(&record)) {
    apply(*score);
  } else if (const auto* evaluation = std::get_if<ClosedRecord>(&record)) {
    closed[{evaluation->version, evaluation->purpose}] = *evaluation;
    scores.erase({evaluation->version, evaluation->purpose});
  } else if (const auto* end = std::get_if<TrainedRecord>(&record)) {
    trained = *end;
  } else if (const auto* end_of_run = std::get_if<FinishedRecord>(&record)) {
    finished = *end_of_run;
  } else if (const auto* often = std::get_if<EveryRecord>(&record)) {
    every = *often;
  } else if (const auto* way = std::get_if<WayRecord>(&record)) {
    ways[{way->from, way->to}] = way->seconds_a_byte;
  } else if (const auto* step = std::get_if<StepTimeRecord>(&record)) {
    step_times[step->worker] = *step;
  } else if (const auto* place = std::get_if<PlaceRecord>(&record)) {
    places[place->node] = *place;
  } else {
    const auto& measured = std::get<MeasuredPathRecord>(record);
    apply(measured.place);
    measured_paths[measured.place.path] = measured;
  }
}

void LedgerState::apply(const ModuleRecord& module) {
  KnownModule& known = modules[module.module];
  known.version = std::max(known.version, module.version);
  for (const auto& [path, outer_step] : module.settled) known.settled[path] = outer_step;
  known.dropped.insert(known.dropped.end(), module.dropped.begin(), module.dropped.end());
}

void LedgerState::apply(const PathRecord& path) {
  paths[path.path] = path;
  measured_paths.erase(path.path);
  const auto task = refused.find(path.path);
  if (task != refused.end() && number(task->second.outer_step) < path.version) refused.erase(task);
}

void LedgerState::apply(const Evaluated& score) {
  if (score.purpose == Purpose::result) {
    results[score.path] = score;
    return;
  }
  scores[{score.version, score.purpose}][score.path] = score;
  if (score.purpose == Purpose::early_stopping) note_best(best, score);
}

void note_best(std::map<PathId, Evaluated>& best, const Evaluated& evaluated) {
  const auto rank = [](const Evaluated& one) {
    // Without a hold-out the last version is the best.
    return one.tokens == 0 ? std::pair(0.0, -one.version)
                           : std::pair(one.nats / static_cast<double>(one.tokens), one.version);
  };
  const auto known = best.find(evaluated.path);
  if (known == best.end() || rank(evaluated) < rank(known->second)) best[evaluated.path] = evaluated;
}

std::vector<LedgerRecord> LedgerState::records() const {
  std::vector<LedgerRecord> all{run};
  for (const auto& [node, role] : members) all.emplace_back(MemberRecord{node, role});
  for (const auto& [module, owner] : owners) all.emplace_back(owner);
  for (const auto& [module, known] : modules) {
    ModuleRecord record{.module = module, .version = known.version, .dropped = known.dropped};
    for (const auto& [path, outer_step] : known.settled) record.settled.push_back({path, outer_step});
    all.emplace_back(std::move(record));
  }
  for (const auto& [id, path] : paths) {
    if (!measured_paths.contains(id)) all.emplace_back(path);
  }
  for (const auto& [id, path] : measured_paths) all.emplace_back(path);
  for (const auto& [path, score] : best) all.emplace_back(score);
  for (const auto& [due, of_paths] : scores) {
    for (const auto& [path, score] : of_paths) all.emplace_back(score);
  }
  for (const auto& [path, score] : results) all.emplace_back(score);
  for (const auto& [due, evaluation] : closed) all.emplace_back(evaluation);
  if (trained) all.emplace_back(*trained);
  if (finished) all.emplace_back(*finished);
  if (every) all.emplace_back(*every);
  for (const auto& [path, task] : refused) all.emplace_back(task);
  for (const auto& [worker, row] : refusals) all.emplace_back(row);
  for (const auto& [way, seconds] : ways) all.emplace_back(WayRecord{way.first, way.second, seconds});
  for (const auto& [worker, step] : step_times) all.emplace_back(step);
  for (const auto& [node, place] : places) all.emplace_back(place);
  return all;
}

std::optional<std::int32_t> begun_until(const LedgerState& state, const RunPlan& plan) {
  if (!state.begun()) return std::nullopt;
  if (state.paths.size() < static_cast<std::size_t>(plan.topology.paths())) return 0;
  const auto by_version = [](const auto& a, const auto& b) { return a.second.version < b.second.version; };
  return std::ranges::min_element(state.paths, by_version)->second.version;
}

Ledger::Ledger(Storage& storage, const RunPlan& plan) : storage_(storage) {
  if (const auto bytes = storage_.get(kJournal)) {
    const Journal journal = read_journal(*bytes, kJournal);
    for (std::size_t k = 0; k < journal.records.size(); ++k) {
      state_.apply(decode_ledger_record(journal.records[k], std::string(kJournal) + ", record " + std::to_string(k)));
    }
    const bool ours = journal.records.empty() ||
                      (state_.run.config_hash == plan.config_hash && state_.run.prepared_hash == plan.prepared_hash);
    if (!ours) {
      throw ConfigError("the coordinator's journal is of configuration " + state_.run.config_hash +
                        " on prepared data " + state_.run.prepared_hash + ", the run of " + plan.config_hash + " on " +
                        plan.prepared_hash + "; resume with the run file that it was begun with");
    }
  }
  state_.run = {plan.config_hash, plan.prepared_hash};
  rewrite();
}

void Ledger::note(LedgerRecord record) {
  state_.apply(record);
  const auto framed = frame_record(encode(std::move(record)), size_ + pending_.size());
  pending_.insert(pending_.end(), framed.begin(), framed.end());
}

void Ledger::flush() {
  if (pending_.empty()) return;
  if (size_ + pending_.size() > std::max(kSmall, kGrowth * rewritten_)) {
    rewrite();
    return;
  }
  storage_.append(kJournal, pending_);
  size_ += pending_.size();
  pending_.clear();
}

void Ledger::rewrite() {
  std::vector<std::byte> bytes = begin_journal();
  for (const LedgerRecord& record : state_.records()) {
    const auto framed = frame_record(encode(record), bytes.size());
    bytes.insert(bytes.end(), framed.begin(), framed.end());
  }
  storage_.put(kJournal, bytes);
  size_ = rewritten_ = bytes.size();
  pending_.clear();
}

}  // namespace dipaco

#include "core/state/simulation_archive.hpp"

#include <limits>
#include <span>
#include <string>
#include <variant>

#include "core/base/error.hpp"
#include "core/prepare/shard_file.hpp"
#include "core/state/finite.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {
namespace {

constexpr const char* kRecords = "records";

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

SimulationArchive::SimulationArchive(const RunPlan& plan, std::unique_ptr<Storage> storage)
    : SimulationArchive(plan, storage, open_archive_journal(*storage, kRecords)) {}

SimulationArchive::SimulationArchive(const RunPlan& plan, std::unique_ptr<Storage>& storage,
                                     const ArchiveJournal& journal)
    : keeps_gradients_(exchanges_gradients(plan)),
      storage_(std::move(storage)),
      state_files_(plan, *storage_),
      module_files_(plan, *storage_),
      phase_files_(plan, *storage_),
      past_(plan, state_files_, module_files_, journal.records),
      evaluations_(plan),
      versions_(past_.versions()),
      writer_(*storage_, kRecords, journal.size) {
  check(plan.learner->learns(), "only what is learned is kept");
  for (std::int32_t p = 0; p < plan.topology.paths(); ++p) newest_[PathId{p}] = past_.newest(PathId{p});
  for (const ArchiveRecord& record : journal.records) {
    if (const auto* score = std::get_if<Evaluated>(&record)) evaluations_.add(*score);
  }
  for (std::int32_t phase = 1; phase <= phase_files_.past(); ++phase) evaluations_.resharded(phase);
  release_evaluated();
}

const PhaseRouting& SimulationArchive::phase_routing(std::int32_t phase) {
  if (!phase_files_.in_memory(phase)) writer_.flush();  // nobody writes while this reads
  return phase_files_.read(phase);
}

std::optional<std::vector<Shard>> SimulationArchive::shards(std::int32_t phase) {
  if (phase > phase_files_.past()) return std::nullopt;
  return phase_routing(phase).shards;
}

void SimulationArchive::settle(const AttemptId& attempt, std::int64_t first, InnerReport& report) {
  const TaskId task = attempt.task;
  if (const auto* refused = past_.refused(attempt)) {
    set_losses(report, *refused);
  } else if (past_.has(task)) {
    const auto begin = static_cast<std::size_t>(first);
    set_losses(report, past_.losses(task, begin, begin + static_cast<std::size_t>(report.done.value)));
  } else if (report.done.value > 0) {
    writer_.write(encode_archive_record(LossRecord{task.path, task.outer_step, first, report.losses}));
  }
}

void SimulationArchive::settle(const AttemptId& attempt, PathStateBody& state, Values& given,
                               const InnerReport& report) {
  if (past_.refused(attempt) != nullptr) {
    state.loss_sum = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  if (!all_finite(state)) {
    writer_.write(encode_archive_record(
        RefusedAttemptRecord{attempt.task.path, attempt.task.outer_step, attempt.epoch, report.losses}));
    return;
  }
  if (state.inner_steps > 0) return;  // a part: nobody starts from it in another process
  if (const auto* held = past_.state(state.path, state.version)) state = *held;
  recall(attempt.task, given);
  if (state.version <= newest_.at(state.path)) return;
  newest_.at(state.path) = state.version;
  const Values gradient = keeps_gradients_ ? given : Values{};
  const Values* const values[] = {&state.parameters, &state.first_moment, &state.second_moment, &state.velocity,
                                  &gradient};
  writer_.write([this, state, gradient] { state_files_.keep(state, 0, NodeId{-1}, gradient); }, bytes_of(values));
}

void SimulationArchive::recall(TaskId task, Values& given) const {
  if (const auto* held = past_.given(task.path, version_after(task.outer_step))) given = *held;
}

void SimulationArchive::settle(ModuleId module, ModuleState& state) {
  if (past_.has(module, state.version)) {
    state.update.norm = past_.norm(module, state.version);
    if (const auto* held = past_.module(module, state.version)) {
      state.parameters = held->parameters;
      state.velocity = held->velocity;
    }
  }
  if (!versions_.insert({module, state.version}).second) return;
  writer_.write(encode_archive_record(NormRecord{module, state.version, state.update.norm}));
  const Values* const values[] = {&state.parameters, &state.velocity};
  writer_.write([this, module, state] { module_files_.keep(module, state); }, bytes_of(values));
}

void SimulationArchive::keep(const Evaluate& request, const Score& score) {
  const Evaluated record{request.path, request.version, request.purpose, score.nats,
                         score.tokens, score.bytes,     score.documents};
  if (!evaluations_.add(record)) return;
  writer_.write(encode_archive_record(record));
  release_evaluated();
}

void SimulationArchive::keep(std::int32_t phase, const std::string& router, const std::vector<Shard>& shards) {
  if (!evaluations_.resharded(phase)) return;
  auto encoded = encode_shards(shards);
  const std::uint64_t size = encoded.size() + router.size();
  writer_.write([this, phase, router, encoded = std::move(encoded)] { phase_files_.keep(phase, router, encoded); },
                size);
  release_evaluated();
}

void SimulationArchive::keep_only(const KeepVersions& bases) {
  writer_.write([this, bases] { module_files_.keep_only(bases); }, 0);
}

void SimulationArchive::release_evaluated() {
  if (const auto released = evaluations_.release()) {
    writer_.write(
        [this, released = *released] {
          state_files_.release(released);
          module_files_.release(released);
        },
        0);
  }
}

}  // namespace dipaco

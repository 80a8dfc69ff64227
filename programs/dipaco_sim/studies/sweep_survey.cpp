#include "programs/dipaco_sim/studies/sweep_survey.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "backends/sim/engine/rehearsal.hpp"
#include "core/base/file.hpp"
#include "core/base/hash.hpp"
#include "core/config/keys.hpp"
#include "core/config/run_file.hpp"
#include "core/model/topology.hpp"
#include "core/prepare/keys.hpp"
#include "programs/dipaco_sim/shared/in_processes.hpp"
#include "programs/shared/program.hpp"

namespace dipaco {
namespace {

/// The scenario as the first run has it: of two props that need each other, the axes may have one.
ScenarioWords first_words(const SweepQuestion& question) { return at(question, jobs_of(question, 0).front()).words; }

/// Makes the changes that the scenario says itself, and then `more`; returns both.
std::vector<ScenarioChange> change_all(ScenarioFile& file, const std::vector<ScenarioChange>& more) {
  std::vector<ScenarioChange> changes = said_changes(file);
  changes.insert(changes.end(), more.begin(), more.end());
  change_props(file, changes);
  return changes;
}

/// That all paths train on in a run, as charged.
double trained_tokens(const RunConfig& config) {
  const RunConfig charged = charged_view(config);
  const std::int32_t paths = make_topology(config.topology, config.model, config.folder).paths();
  return static_cast<double>(steps_of_a_path(charged, paths).value) * paths *
         static_cast<double>(charged.inner.batch * charged.model.sequence);
}

/// Which axes change how much a run trains, by the points that differ from the first in one axis alone.
class TrainingKeys {
 public:
  explicit TrainingKeys(const std::vector<analysis::Axis>& axes) : axes_(axes) {}

  /// REQUIRES that the first point comes first.
  void look_at(const std::vector<std::string>& point, const RunConfig& config) {
    std::optional<std::size_t> other;
    for (std::size_t k = 0; k < point.size(); ++k) {
      if (point[k] == axes_[k].values.front()) continue;
      if (other) return;
      other = k;
    }
    if (!other) {
      first_ = trained_tokens(config);
    } else if (std::ranges::find(keys_, axes_[*other].key) == keys_.end() && trained_tokens(config) != first_) {
      keys_.push_back(axes_[*other].key);
    }
  }
  const std::vector<std::string>& keys() const { return keys_; }

 private:
  const std::vector<analysis::Axis>& axes_;
  double first_ = 0;
  std::vector<std::string> keys_;
};

std::string settings_of(const SweepQuestion& question) {
  std::string lines;
  for (const std::string& setting : question.words.cfg) lines += "--cfg " + setting + "\n";
  for (const std::string& name : question.words.without) lines += "--without " + name + "\n";
  for (const ScenarioChange& change : question.words.changes) lines += "--set " + change.text + "\n";
  return lines + (question.shared.learn ? "--learn on" : "--learn off");
}

/// In a process of its own, which has the engine.
std::string survey_text(const SweepQuestion& question) {
  const LoadedScenario loaded = load_scenario(first_words(question));
  const RunConfig config = run_file_of(loaded, question.shared);
  const auto zones = loaded.engine->zones(loaded.file);
  SweepInputs inputs{.program = project_version(),
                     .scenario = hash_hex(read_file(loaded.file.path())),
                     .run_file = dump_config(config),
                     .settings = settings_of(question)};
  TrainingKeys training(question.axes);
  for (const SweepJob& job : jobs_of(question, config.run.seed)) {
    const SweepQuestion one = at(question, job);
    ScenarioFile file(one.words.scenario);
    const auto changes = change_all(file, one.words.changes);
    const ScenarioOptions options = read_options(file);
    check_hosts(changes, zones);
    loaded.engine->change_links(file, changes);
    check_varying_links(file, changes);
    read_link_outages(file, changes);
    place(file, options, zones);
    const RunConfig own = run_file_of(loaded, one.shared);
    inputs.files.add(file, question.shared.run.empty());
    inputs.files.add(own, question.shared.learn);
    training.look_at(job.point, own);
  }
  const nlohmann::json told{
      {"inputs", text(inputs)}, {"name", config.name}, {"seed", config.run.seed}, {"training_keys", training.keys()}};
  return told.dump();
}

}  // namespace

SweepGround survey(const SweepQuestion& question, const StopSignal& stop) {
  rehearse(question.words.scenario, [&] { load_scenario(first_words(question)); });
  const auto told = nlohmann::json::parse(in_a_process([&] { return survey_text(question); }, stop.requested()));
  return {.inputs = read_sweep_inputs(told["inputs"].get<std::string>()).value(),
          .name = told["name"].get<std::string>(),
          .seed = told["seed"].get<std::uint64_t>(),
          .training_keys = told["training_keys"].get<std::vector<std::string>>()};
}

SweepFolder folder_of(const SweepQuestion& question, const SweepGround& ground) {
  const auto& out = question.shared.out;
  return {out.empty() ? std::filesystem::path("out") / (ground.name + "-sweep") : out, ground.inputs};
}

}  // namespace dipaco

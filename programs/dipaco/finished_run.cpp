#include "programs/dipaco/finished_run.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "core/checkpoint/checkpoint.hpp"
#include "core/config/named_parts.hpp"
#include "core/config/run_file.hpp"
#include "core/config/settings.hpp"
#include "core/prepare/shard_file.hpp"

namespace dipaco {
namespace {

namespace fs = std::filesystem;

/// This project's parts, and rows by the names that run.cfg has of a program that brought its own: nothing steps any
/// more, so what a policy and an outer optimizer do is not asked.
NamedParts parts_of(const fs::path& file) {
  NamedParts parts;
  for (const Setting& setting : read_settings(read_text(file), file.string(), *built_in_parts())) {
    if (setting.section != "outer") continue;
    const std::string& name = setting.value;
    if (setting.key->name == "policy" &&
        std::ranges::find(parts.policies, name, &NamedPolicy::name) == parts.policies.end()) {
      parts.policies.push_back({.name = name, .make = parts.policies.front().make});
    }
    const bool known =
        name == "auto" || std::ranges::find(parts.optimizers, name, &NamedOptimizer::name) != parts.optimizers.end();
    if (setting.key->name == "optimizer" && !known) parts.optimizers.push_back({.name = name, .takes_gradients = true});
  }
  return parts;
}

std::string learned_nothing() {
  return "the run learned nothing (--learn off), so it has no modules; begin one without --learn off";
}

/// Why a run has left no model, as far as its summary says it.
std::string why_no_model(const fs::path& folder) {
  nlohmann::json summary;
  const fs::path file = folder / "summary.json";
  if (fs::exists(file)) summary = nlohmann::json::parse(read_text(file), nullptr, false);
  const auto says_no = [&](const char* key) {
    return summary.is_object() && summary.contains(key) && summary[key] == false;
  };
  if (says_no("learned")) return learned_nothing();
  if (says_no("finished")) return "the run ended for want of progress and left no model; its summary.json says why";
  return "the run ended before there was anything to go on from; begin it anew with --out " + folder.string();
}

RunConfig read_config(const fs::path& folder) {
  const std::string name = folder.string();
  if (!fs::exists(folder / "run.cfg")) {
    throw ConfigError(name + "/run.cfg is missing; name the --out folder of a run that has finished");
  }
  if (fs::exists(folder / "state" / "run")) {
    throw ConfigError(name + ": the run has not finished; go on with --resume " + name);
  }
  if (!fs::exists(folder / "model")) throw ConfigError(name + ": " + why_no_model(folder));
  if (!fs::exists(folder / "summary.json")) {
    throw DataError(name + "/summary.json is missing: the run left it there; put it back");
  }
  return read_run_file(folder / "run.cfg", {}, parts_of(folder / "run.cfg"));
}

/// "PATH VERSION" as two numbers.
std::optional<std::pair<std::int64_t, std::int64_t>> parse_version(const std::string& line) {
  const auto words = split(line, ' ');
  if (words.size() != 2) return std::nullopt;
  const auto path = parse_integer(words[0]);
  const auto version = parse_integer(words[1]);
  if (!path || !version) return std::nullopt;
  return std::pair(*path, *version);
}

void require_fact(const Checkpoint& checkpoint, const std::string& fact, const std::string& expected,
                  const std::string& source) {
  const auto found = checkpoint.facts.find(fact);
  if (found != checkpoint.facts.end() && found->second == expected) return;
  const std::string is = found == checkpoint.facts.end() ? "missing" : "\"" + found->second + "\"";
  throw DataError(source + ": its " + fact + " is " + is + " and has to be \"" + expected +
                  "\": it is another module's or run's file; put the run's own back");
}

/// Of what a run leaves: modules whose regional parts are merged.
Topology whole_topology(const RunConfig& config) {
  TopologyOptions options = config.topology;
  options.regions = 1;
  return make_topology(options, config.model, config.folder);
}

}  // namespace

FinishedRun::FinishedRun(fs::path folder)
    : folder_(std::move(folder)),
      config_(read_config(folder_)),
      topology_(whole_topology(config_)),
      layout_(make_layout(config_.model, topology_)) {
  read_summary();
  read_versions();
  std::set<fs::path> files = module_files();
  files.insert(start_file());
  for (const fs::path& file : files) {
    if (fs::exists(file)) continue;
    throw DataError(file.string() + " is missing: the run left it there; put it back");
  }
}

void FinishedRun::read_summary() {
  const fs::path file = folder_ / "summary.json";
  try {
    const auto summary = nlohmann::json::parse(read_text(file));
    if (!summary.value("learned", true)) {
      throw ConfigError(folder_.string() + ": " + learned_nothing());
    }
    parameters_hash_ = summary.value("parameters_hash", "");
    tokens_hash_ = summary.value("tokens_hash", "");
    prepared_hash_ = summary.value("prepared_hash", "");
    start_hash_ = summary.value("start_hash", "");
    routing_hash_ = summary.value("routing_hash", "");
    const std::string then = summary.value("config_hash", "");
    if (then != config_hash(config_)) {
      throw DataError(folder_.string() + ": the run was one of configuration " + then + ", and run.cfg is one of " +
                      config_hash(config_) +
                      " now: put back what the run had, also the table that topology.levels may name");
    }
  } catch (const nlohmann::json::exception&) {
    throw DataError(file.string() + ": no object of JSON as a run leaves it; put the run's own back");
  }
}

void FinishedRun::read_versions() {
  const fs::path file = model() / "paths";
  const auto paths = static_cast<std::size_t>(topology_.paths());
  for (const std::string& line : split(read_text(file), '\n')) {
    if (line.empty()) continue;
    const auto version = parse_version(line);
    if (!version || version->first != std::ssize(versions_) || version->second < 0 ||
        version->second > last_version()) {
      throw DataError(file.string() + ": line " + std::to_string(versions_.size() + 1) + " is \"" + line +
                      "\" and has to be a path and its version from 0 to " + std::to_string(last_version()) +
                      "; put the run's own file back");
    }
    versions_.push_back(static_cast<std::int32_t>(version->second));
  }
  if (versions_.size() == paths) return;
  throw DataError(file.string() + ": versions of " + std::to_string(versions_.size()) + " paths for the " +
                  std::to_string(paths) + " of run.cfg; put the run's own file back");
}

fs::path FinishedRun::module_file(ModuleId module, std::int32_t version) const {
  std::string name = "module-";
  name += std::to_string(module.level) + "." + std::to_string(module.expert);
  if (version != last_version()) name += "-version-" + std::to_string(version);
  return model() / name;
}

/// Whether the file is of a policy without rounds, where a version is a number of the module's own and the epoch of the
/// owner that made it (docs/decisions/0016). At most each contribution makes one.
bool FinishedRun::without_rounds(const Checkpoint& checkpoint, ModuleId module, const std::string& source) const {
  if (!checkpoint.facts.contains("owner")) return false;
  const std::int64_t most = std::ssize(topology_.paths_through(module)) * last_version();
  const std::int64_t number = checkpoint.integer("version", source);
  if (checkpoint.integer("owner", source) > 0 && number > 0 && number <= most) return true;
  throw DataError(source + ": version " + std::to_string(number) + " by the owner at epoch " +
                  checkpoint.facts.at("owner") + ", and there are versions from 1 to " + std::to_string(most) +
                  " by epochs from 1 on; put the run's own file back");
}

std::vector<float> FinishedRun::module(ModuleId module, std::int32_t version) const {
  const std::string source = module_file(module, version).string();
  const Checkpoint checkpoint = decode_checkpoint(MappedFile(source).bytes(), source);
  require_fact(checkpoint, "kind", "module", source);
  require_fact(checkpoint, "level", std::to_string(module.level), source);
  require_fact(checkpoint, "expert", std::to_string(module.expert), source);
  if (!without_rounds(checkpoint, module, source)) {
    require_fact(checkpoint, "version", std::to_string(version), source);
  }
  require_fact(checkpoint, "config", config_hash(config_), source);
  require_fact(checkpoint, "prepared", prepared_hash_, source);
  const std::vector<float>& values = checkpoint.array("parameters", source);
  const std::size_t size = layout_.levels[static_cast<std::size_t>(module.level)].size;
  if (values.size() != size) {
    throw DataError(source + ": " + std::to_string(values.size()) + " parameters and this model's module has " +
                    std::to_string(size) + ": it is another run's; put the run's own back");
  }
  if (!std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); })) {
    throw DataError(source +
                    ": a parameter is not finite: training has diverged; lower inner.learning_rate or "
                    "outer.learning_rate");
  }
  return values;
}

std::vector<float> FinishedRun::parameters(PathId path) const {
  std::vector<float> all(layout_.size);
  for (std::int32_t level = 0; level < topology_.levels(); ++level) {
    const std::vector<float> values = module(topology_.module(path, level), version(path));
    std::copy(values.begin(), values.end(), layout_.part(std::span<float>(all), level).begin());
  }
  return all;
}

std::set<fs::path> FinishedRun::module_files() const {
  std::set<fs::path> files;
  for (std::int32_t path = 0; path < topology_.paths(); ++path) {
    for (std::int32_t level = 0; level < topology_.levels(); ++level) {
      files.insert(module_file(topology_.module(PathId{path}, level), version(PathId{path})));
    }
  }
  return files;
}

std::string FinishedRun::modules_hash() const {
  std::string all;
  for (const std::int32_t version : versions_) all += std::to_string(version) + "\n";
  for (const fs::path& file : module_files()) {
    all += file.filename().string() + " " + hash_hex(MappedFile(file).bytes()) + "\n";
  }
  return hash_hex(all);
}

void FinishedRun::require_own_start() const {
  if (hash_hex(MappedFile(start_file()).bytes()) == start_hash_) return;
  throw DataError(start_file().string() + ": not the start that this run had; put the run's own back");
}

void FinishedRun::require_own_routing() const {
  const fs::path router = model() / "router";
  const fs::path shards = model() / "shards";
  if (routing_hash(MappedFile(router).bytes(), MappedFile(shards).bytes()) == routing_hash_) return;
  throw DataError(router.string() +
                  " and shards beside it: not both those that this run ended with; put the run's own back");
}

std::optional<double> dense_equal_steps_of(const fs::path& folder) {
  const fs::path file = folder / "summary.json";
  const auto summary = nlohmann::json::parse(read_text(file), nullptr, false);
  const auto dense = summary.find("dense_equal_steps_validation_perplexity");
  if (dense == summary.end()) return std::nullopt;
  if (dense->is_number()) return dense->get<double>();
  throw DataError(file.string() + ": dense_equal_steps_validation_perplexity is no number; put the run's own back");
}

}  // namespace dipaco

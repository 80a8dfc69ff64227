#include "core/state/module_files.hpp"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/plan/giving.hpp"
#include "core/state/path_values.hpp"
#include "core/state/update_facts.hpp"

namespace dipaco {
namespace {

constexpr const char* kFolder = "modules/";

std::string key(ModuleId module, Version version) {
  const std::string owner = version.owner == 0 ? "" : "." + std::to_string(version.owner);
  return kFolder + std::to_string(module.level) + "." + std::to_string(module.expert) + "/" +
         std::to_string(version.number) + owner;
}

/// The numbers in "modules/LEVEL.EXPERT/NUMBER", or behind that ".OWNER".
HeldModule parse(const std::string& key) {
  const auto part = [&](std::size_t begin, std::size_t end) {
    const auto number =
        begin <= end && end <= key.size() ? parse_integer(key.substr(begin, end - begin)) : std::nullopt;
    if (!number) throw DataError(key + ": no name of a module's version; remove this file, it is none of the run's");
    return static_cast<std::int32_t>(*number);
  };
  const std::size_t begin = std::string_view(kFolder).size();
  const std::size_t dot = key.find('.', begin);
  const std::size_t slash = key.find('/', begin);
  const std::size_t owner = std::min(key.find('.', std::min(slash, key.size())), key.size());
  return {.module = {part(begin, dot), part(dot + 1, slash)},
          .version = {part(slash + 1, owner), owner == key.size() ? 0 : part(owner + 1, key.size())}};
}

}  // namespace

ModuleFiles::ModuleFiles(const RunPlan& plan, Storage& storage)
    : plan_(plan), storage_(storage), retention_(plan.timetable, plan.topology) {
  for (const std::string& file : storage_.list(kFolder)) {
    const HeldModule found = parse(file);
    files_[found.module][found.version] = file;
  }
}

void ModuleFiles::keep(ModuleId module, const ModuleState& state) {
  Checkpoint checkpoint;
  checkpoint.say("kind", "module");
  checkpoint.say("level", module.level);
  checkpoint.say("expert", module.expert);
  checkpoint.say("version", state.version.number);
  checkpoint.say("owner", state.version.owner);
  add_update(checkpoint, state.update, state.settled);
  if (state.parameters.data != nullptr) checkpoint.arrays["parameters"] = *state.parameters.data;
  if (state.velocity.data != nullptr) checkpoint.arrays["velocity"] = *state.velocity.data;
  const std::string file = key(module, state.version);
  const std::vector<std::byte> bytes = encode(checkpoint);
  storage_.put(file, {bytes, charged_on_disk(bytes.size(), {&state.parameters, &state.velocity})});
  files_[module][state.version] = file;
  forget_old(module);
}

ModuleState ModuleFiles::read(ModuleId module, Version version) const {
  const std::string& file = files_.at(module).at(version);
  const auto bytes = storage_.get(file);
  if (!bytes) throw DataError(file + ": it was there at the start and is gone; let nobody else write to the storage");
  const Checkpoint checkpoint = decode_checkpoint(*bytes, file);
  const auto level = static_cast<std::size_t>(module.level);
  const ValuesSize size{plan_.layout.levels[level].size, plan_.charged.levels[level].size};
  auto settled = read_settled(checkpoint, file);  // the first that an older program's file lacks
  return {.version = {static_cast<std::int32_t>(checkpoint.integer("version", file)),
                      static_cast<Epoch>(checkpoint.integer("owner", file))},
          .update = read_update(checkpoint, file),
          .settled = std::move(settled),
          .parameters = read_values(checkpoint, "parameters", size, file),
          .velocity = read_values(checkpoint, "velocity", velocity_factor(plan_, module) * size, file)};
}

Values ModuleFiles::parameters(ModuleId module, Version version) const {
  if (version == Version{0}) return start_module(plan_, module);
  if (!has(module, version)) {
    throw DataError("version " + std::to_string(number(version)) + " of " + text(module) +
                    ", which a task began with, is not kept any more; begin the run anew");
  }
  return read(module, version).parameters;
}

bool ModuleFiles::has(ModuleId module, Version version) const {
  const auto found = files_.find(module);
  return found != files_.end() && found->second.contains(version);
}

std::vector<Version> ModuleFiles::versions(ModuleId module) const {
  std::vector<Version> versions;
  const auto found = files_.find(module);
  if (found == files_.end()) return versions;
  for (const auto& [version, file] : found->second) versions.push_back(version);
  return versions;
}

std::vector<HeldModule> ModuleFiles::held() const {
  std::vector<HeldModule> held;
  for (const auto& [module, versions] : files_) {
    for (const auto& [version, file] : versions) {
      if (!plan_.policy.rounds || version == versions.rbegin()->first) held.push_back({module, version, 0});
    }
  }
  return held;
}

void ModuleFiles::release(const Released& released) {
  if (!retention_.release(released)) return;
  for (const auto& [module, versions] : files_) forget_old(module);
}

void ModuleFiles::keep_only(const KeepVersions& bases) {
  KeepVersions& known = bases_[bases.module];
  if (bases.newest < known.newest) return;
  known = bases;
  if (files_.contains(bases.module)) forget_old(bases.module);
}

bool ModuleFiles::keeps(ModuleId module, Version version) const {
  if (retention_.keeps(module, version)) return true;
  if (plan_.policy.rounds) {
    const bool drops = plan_.config.outer.drop > 0;
    return (drops && is_awaited(module, version)) || (exchanges_gradients(plan_) && may_begin_again(module, version));
  }
  const auto known = bases_.find(module);
  return known == bases_.end() || version >= known->second.newest ||
         std::ranges::binary_search(known->second.bases, version);
}

/// Whether a path that gives nothing to it may begin with it yet.
bool ModuleFiles::is_awaited(ModuleId module, Version version) const {
  const Version newest = files_.at(module).rbegin()->first;
  return std::ranges::any_of(plan_.topology.paths_through(module),
                             [&](PathId path) { return dipaco::is_base(plan_, path, version, newest); });
}

/// Whether a path's task at this outer step may have to be done once more: no version has a later task of the path,
/// which would have begun once all of the path's modules had settled this one.
bool ModuleFiles::may_begin_again(ModuleId module, Version version) const {
  const OuterStep newest{number(files_.at(module).rbegin()->first)};
  const OuterStep step{number(version)};
  return std::ranges::any_of(plan_.topology.paths_through(module), [&](PathId path) {
    return plan_.timetable.trains(path, step) && plan_.timetable.next_trained(path, next(step)) >= newest;
  });
}

void ModuleFiles::forget_old(ModuleId module) {
  auto& versions = files_.at(module);
  for (auto at = versions.begin(); std::next(at) != versions.end();) {
    if (keeps(module, at->first)) {
      ++at;
      continue;
    }
    storage_.remove(at->second);
    at = versions.erase(at);
  }
}

}  // namespace dipaco

#include "core/state/path_values.hpp"

#include <algorithm>
#include <set>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/outer/gradient_format.hpp"
#include "core/outer/outer_gradient.hpp"
#include "core/outer/prune.hpp"

namespace dipaco {

namespace {

std::string model_key(ModuleId module) {
  std::string key = "model/module-";
  return key += std::to_string(module.level) + "." + std::to_string(module.expert);
}

/// For the model of the run: it says of which run it is.
std::vector<std::byte> encode_module(const RunPlan& plan, ModuleId module, Version version,
                                     std::span<const float> parameters) {
  Checkpoint checkpoint;
  checkpoint.facts = {{"kind", "module"},
                      {"level", std::to_string(module.level)},
                      {"expert", std::to_string(module.expert)},
                      {"version", std::to_string(number(version))},
                      {"config", plan.config_hash},
                      {"prepared", plan.prepared_hash}};
  if (version.owner > 0) checkpoint.facts["owner"] = std::to_string(version.owner);
  checkpoint.arrays["parameters"] = {parameters.begin(), parameters.end()};
  return encode(checkpoint);
}

}  // namespace

bool exchanges_gradients(const RunPlan& plan) { return plan.policy.exchange == Exchange::gradients; }

Values make_values(std::vector<float> floats, std::uint64_t charged) {
  if (floats.empty()) return {nullptr, charged};
  return {std::make_shared<const std::vector<float>>(std::move(floats)), charged};
}

std::span<const float> floats_of(const Values& values) {
  return values.data == nullptr ? std::span<const float>() : *values.data;
}

std::vector<float> copy_of(const Values& values) {
  const auto floats = floats_of(values);
  return {floats.begin(), floats.end()};
}

Values read_values(const Checkpoint& checkpoint, const char* name, const ValuesSize& size, const std::string& source) {
  if (size.floats == 0) return {nullptr, size.charged};
  std::vector<float> floats = checkpoint.array(name, source);
  if (floats.size() != size.floats) {
    throw DataError(source + ": " + std::to_string(floats.size()) + " values of " + name + " where " +
                    std::to_string(size.floats) +
                    " belong; go on with the program that began the run, or begin it anew");
  }
  return make_values(std::move(floats), size.charged);
}

std::vector<float> specific_part(const RunPlan& plan, PathId path, std::span<const float> parameters) {
  std::vector<float> part;
  for (std::int32_t l = 0; l < plan.topology.levels(); ++l) {
    if (!plan.topology.path_specific(plan.topology.module(path, l))) continue;
    const auto slice = plan.layout.part(parameters, l);
    part.insert(part.end(), slice.begin(), slice.end());
  }
  return part;
}

PathStateBody start_state(const RunPlan& plan, PathId path) {
  const std::uint64_t specific = specific_size(plan.topology, plan.charged, path);
  PathStateBody state{.path = path};
  const TrainState& start = plan.learner->prepared().start;
  state.inner_steps_total = start.step.value;
  if (exchanges_gradients(plan)) {
    state.parameters = make_values(specific_part(plan, path, start.parameters), specific);
  } else {
    state.parameters = make_values(start.parameters, plan.charged.size);
    state.first_moment = make_values(start.first_moment, plan.charged.size);
    state.second_moment = make_values(start.second_moment, plan.charged.size);
  }
  std::vector<float> velocity;
  for (std::int32_t l = 0; l < plan.topology.levels(); ++l) {
    const ModuleId module = plan.topology.module(path, l);
    if (!plan.topology.path_specific(module)) continue;
    const auto part = start_velocity(plan, module);
    velocity.insert(velocity.end(), part.begin(), part.end());
  }
  state.velocity = make_values(std::move(velocity), velocity_factor(plan) * specific);
  return state;
}

std::vector<float> own_parameters(const RunPlan& plan, const PathStateBody& state) {
  const auto had = floats_of(state.parameters);
  if (!exchanges_gradients(plan)) return {had.begin(), had.end()};
  std::vector<float> parameters(plan.layout.size);
  std::size_t offset = 0;
  for (std::int32_t l = 0; l < plan.topology.levels(); ++l) {
    if (!plan.topology.path_specific(plan.topology.module(state.path, l))) continue;
    const auto part = plan.layout.part(std::span<float>(parameters), l);
    std::ranges::copy(had.subspan(offset, part.size()), part.begin());
    offset += part.size();
  }
  return parameters;
}

/// Without moments, a state with gradients exchanged lacks the parameters before its step, too.
bool is_whole(const RunPlan& plan, const PathStateBody& state) {
  if (!exchanges_gradients(plan)) return state.first_moment.charged > 0;
  return state.specific_before.charged == specific_size(plan.topology, plan.charged, state.path);
}

Bytes state_size(const RunPlan& plan) {
  const std::uint64_t specific = specific_size(plan.topology, plan.charged, PathId{0});
  const std::uint64_t velocity = velocity_factor(plan) * specific;
  const std::uint64_t floats = exchanges_gradients(plan) ? 2 * specific : 3 * plan.charged.size;
  return Bytes{sizeof(float) * (floats + velocity)};
}

Values start_module(const RunPlan& plan, ModuleId module) {
  const auto level = static_cast<std::size_t>(module.level);
  const auto slice = plan.layout.part(std::span<const float>(plan.learner->prepared().start.parameters), module.level);
  return make_values({slice.begin(), slice.end()}, plan.charged.levels[level].size);
}

Bytes charged_on_disk(std::size_t encoded, std::initializer_list<const Values*> values) {
  std::uint64_t bytes = encoded;
  for (const Values* const one : values) bytes += sizeof(float) * (one->charged - floats_of(*one).size());
  return Bytes{bytes};
}

Checkpoint to_checkpoint(const PathStateBody& state) {
  Checkpoint checkpoint;
  checkpoint.say("kind", "path_state");
  checkpoint.say("path", index(state.path));
  checkpoint.say("version", state.version);
  checkpoint.say("inner_steps", state.inner_steps);
  checkpoint.say("inner_steps_total", state.inner_steps_total);
  checkpoint.say("loss_sum", format_number(state.loss_sum));
  const auto add = [&](const char* name, const Values& values) {
    if (values.data != nullptr) checkpoint.arrays[name] = *values.data;
  };
  add("parameters", state.parameters);
  add("first_moment", state.first_moment);
  add("second_moment", state.second_moment);
  add("velocity", state.velocity);
  add("specific_before", state.specific_before);
  return checkpoint;
}

PathStateBody to_path_state(const RunPlan& plan, const Checkpoint& checkpoint, const std::string& source) {
  PathStateBody state;
  state.path = PathId{static_cast<std::int32_t>(checkpoint.integer("path", source))};
  state.version = static_cast<std::int32_t>(checkpoint.integer("version", source));
  state.inner_steps = static_cast<std::int32_t>(checkpoint.integer("inner_steps", source));
  state.inner_steps_total = checkpoint.integer("inner_steps_total", source);
  state.loss_sum = checkpoint.number("loss_sum", source);
  const ValuesSize all{plan.layout.size, plan.charged.size};
  const ValuesSize own{specific_size(plan.topology, plan.layout, state.path),
                       specific_size(plan.topology, plan.charged, state.path)};
  const auto get = [&](const char* name, const ValuesSize& size) {
    return read_values(checkpoint, name, size, source);
  };
  const bool gradients = exchanges_gradients(plan);
  state.parameters = get("parameters", gradients ? own : all);
  if (!gradients) {
    state.first_moment = get("first_moment", all);
    state.second_moment = get("second_moment", all);
  }
  state.velocity = get("velocity", velocity_factor(plan) * own);
  if (gradients || state.inner_steps > 0) state.specific_before = get("specific_before", own);
  return state;
}

namespace {

/// @param values  [n] of level `level`
void prune_neurons(const RunPlan& plan, std::int32_t level, std::span<float> values) {
  const LevelSlice& slice = plan.layout.levels[static_cast<std::size_t>(level)];
  for (const TensorSlot& slot : plan.layout.slots) {
    if (slot.offset < slice.offset || slot.offset >= slice.offset + slice.size || values.empty()) continue;
    prune(values.subspan(slot.offset - slice.offset, slot.size), static_cast<std::size_t>(slot.shape.back()),
          plan.config.outer.prune, plan.config.outer.prune_by == "sign" ? PruneBy::sign : PruneBy::magnitude);
  }
}

}  // namespace

std::vector<float> path_gradient(const RunPlan& plan, std::span<const float> before, std::span<const float> after) {
  if (exchanges_gradients(plan)) return {after.begin(), after.end()};
  return outer_gradient(before, after);
}

GradientValues make_gradient(const RunPlan& plan, std::int32_t level, std::span<const float> before,
                             std::span<const float> after) {
  GradientValues gradient{.format = gradient_format(plan.config.outer.outer_gradient_format),
                          .charged = plan.charged.levels[static_cast<std::size_t>(level)].size};
  std::vector<float> values = path_gradient(plan, before, after);
  if (plan.config.outer.prune > 0) prune_neurons(plan, level, values);
  auto bytes = encode_gradient(gradient.format, values);
  if (!bytes.empty()) gradient.bytes = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return gradient;
}

std::vector<float> gradient_floats(const GradientValues& gradient, std::size_t count) {
  const auto bytes = gradient.bytes == nullptr ? std::span<const std::byte>() : std::span(*gradient.bytes);
  if (bytes.size() != encoded_size(gradient.format, count)) {
    throw DataError("an outer gradient of " + std::to_string(bytes.size()) + " bytes is none of " +
                    std::to_string(count) + " values; run the same program on all nodes");
  }
  return decode_gradient(gradient.format, bytes, count);
}

namespace {

const OuterOptimizer& optimizer_of(const RunPlan& plan, ModuleId module) {
  if (plan.topology.is_regional(module)) return *plan.regional_optimizer;
  return plan.topology.is_global(module) ? *plan.global_optimizer : *plan.optimizer;
}

std::span<const float> start_of(const TrainState& start, ArrayStart array) {
  if (array == ArrayStart::parameters) return start.parameters;
  return array == ArrayStart::first_moment ? start.first_moment : start.second_moment;
}

}  // namespace

std::uint64_t velocity_factor(const RunPlan& plan) { return plan.optimizer->arrays().size(); }

std::uint64_t velocity_factor(const RunPlan& plan, ModuleId module) {
  return optimizer_of(plan, module).arrays().size();
}

std::vector<float> start_velocity(const RunPlan& plan, ModuleId module) {
  const TrainState& start = plan.learner->prepared().start;
  const std::size_t size = plan.layout.levels[static_cast<std::size_t>(module.level)].size;
  std::vector<float> all;
  for (const StateArray& array : optimizer_of(plan, module).arrays()) {
    if (array.start == ArrayStart::zeros) {
      all.resize(all.size() + size);
      continue;
    }
    const auto part = plan.layout.part(start_of(start, array.start), module.level);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

void step_module(const RunPlan& plan, ModuleId module, const StepInfo& info, std::span<float> parameters,
                 std::span<float> velocity, std::span<const float> delta) {
  const std::size_t size = parameters.size();
  const OuterOptimizer& optimizer = optimizer_of(plan, module);
  std::vector<std::span<float>> arrays(optimizer.arrays().size());
  check(velocity.size() == arrays.size() * size, "each state array is as long as the parameters");
  for (std::size_t k = 0; k < arrays.size(); ++k) arrays[k] = velocity.subspan(k * size, size);
  optimizer.step(info, parameters, arrays, delta);
}

void keep_module(const RunPlan& plan, Storage& storage, ModuleId module, Version version,
                 std::span<const float> parameters) {
  storage.put(model_key(module), encode_module(plan, module, version, parameters));
}

void keep_best(const RunPlan& plan, Storage& storage, ModuleId module, Version version,
               std::span<const float> parameters) {
  storage.put(model_key(module) + "-version-" + std::to_string(number(version)),
              encode_module(plan, module, version, parameters));
}

std::string lines_of(const std::map<ModuleId, std::string>& hashes) {
  std::string lines;
  for (const auto& [module, hash] : hashes) lines += text(module) + " " + hash + "\n";
  return lines;
}

std::vector<Version> best_versions(const Topology& topology, ModuleId module, const std::vector<PathVersion>& best) {
  std::set<Version> versions;
  for (const PathVersion& one : best) {
    for (std::int32_t l = 0; l < topology.levels(); ++l) {
      if (topology.module(one.path, l) == module) versions.insert(Version{one.version});
    }
  }
  return {versions.begin(), versions.end()};
}

std::string text(PathId path) { return "path " + std::to_string(index(path)); }

std::string text(ModuleId module) {
  return "module " + std::to_string(module.level) + "." + std::to_string(module.expert);
}

}  // namespace dipaco

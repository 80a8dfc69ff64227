#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/ids.hpp"
#include "core/checkpoint/checkpoint.hpp"
#include "core/plan/plan.hpp"
#include "core/storage/storage.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

/// Values that own `floats` and are charged as `charged` floats.
Values make_values(std::vector<float> floats, std::uint64_t charged);

/// The floats of `values`: none where nothing is learned.
std::span<const float> floats_of(const Values& values);
std::vector<float> copy_of(const Values& values);

/// How many floats some values have, and how many they are charged as.
struct ValuesSize {
  std::uint64_t floats = 0;
  std::uint64_t charged = 0;
  friend ValuesSize operator*(std::uint64_t factor, const ValuesSize& size) {
    return {factor * size.floats, factor * size.charged};
  }
};

/// The array `name` of a checkpoint, which lacks it where it has no floats. @throws DataError naming `source` where it
/// has others than so many
Values read_values(const Checkpoint& checkpoint, const char* name, const ValuesSize& size, const std::string& source);

/// Whether paths give gradients of single inner steps (§4.5). A path state is then the data cursor and what is the
/// path's own: all else is made again from the module versions of the task's base (docs/decisions/0020).
bool exchanges_gradients(const RunPlan& plan);

/// The parts of a path's flat vector that belong to its path-specific modules, by level: [specific_size].
std::vector<float> specific_part(const RunPlan& plan, PathId path, std::span<const float> parameters);

/// The prepared start as state 0 of `path`: velocity 0.
PathStateBody start_state(const RunPlan& plan, PathId path);

/// A path's flat vector [n] with the parameters that its state has: those of shared modules are any where gradients are
/// exchanged. REQUIRES that something is learned.
std::vector<float> own_parameters(const RunPlan& plan, const PathStateBody& state);

/// Whether a state is all that a task begins with, or what an evaluation asked for: parameters alone.
bool is_whole(const RunPlan& plan, const PathStateBody& state);

/// Of a path's state between tasks, on its way from node to node. REQUIRES paths of one size
Bytes state_size(const RunPlan& plan);

/// One module of the prepared start: its version 0.
Values start_module(const RunPlan& plan, ModuleId module);

/// What a disk is charged for a file of `encoded` bytes that has these values as fp32, as far as they are there.
Bytes charged_on_disk(std::size_t encoded, std::initializer_list<const Values*> values);

/// A path state as a checkpoint, and back. @throws DataError naming `source`
Checkpoint to_checkpoint(const PathStateBody& state);
PathStateBody to_path_state(const RunPlan& plan, const Checkpoint& checkpoint, const std::string& source);

/// What one path gives to a module's mean: before - after of the inner steps (Alg. 1 line 13), or where gradients are
/// exchanged what stands in `after`.
std::vector<float> path_gradient(const RunPlan& plan, std::span<const float> before, std::span<const float> after);

/// The same of a module that paths share, as it travels: in outer.outer_gradient_format. Whoever makes one, its worker
/// or an executor that lost it, uses this function and takes the values from gradient_floats, so that their bits are
/// the same. Choice: path-specific modules, of which nothing travels, are stepped by path_gradient, unrounded.
/// @param before, after  [n] of level `level`
GradientValues make_gradient(const RunPlan& plan, std::int32_t level, std::span<const float> before,
                             std::span<const float> after);
/// What is added to the module's mean: [count]. REQUIRES that the values are there. @throws DataError where they are
/// others than so many
std::vector<float> gradient_floats(const GradientValues& gradient, std::size_t count);

/// Floats of a module's velocity for each of its parameters. What is called velocity holds all arrays of the run's
/// outer optimizer, one after the other: Nesterov's velocity, AdamW's two moments, nothing for SGD.
std::uint64_t velocity_factor(const RunPlan& plan);
/// The same of a module, which may be a regional or global part, with another optimizer.
std::uint64_t velocity_factor(const RunPlan& plan, ModuleId module);
/// Of a module of the prepared start; empty where nothing is learned.
std::vector<float> start_velocity(const RunPlan& plan, ModuleId module);

/// Makes the version after `info.version` of one module (Alg. 1 lines 13-14): `delta` is the mean, already rescaled.
/// @param velocity  [velocity_factor x n]
void step_module(const RunPlan& plan, ModuleId module, const StepInfo& info, std::span<float> parameters,
                 std::span<float> velocity, std::span<const float> delta);

/// Keeps the parameters of one finished module under "model/module-LEVEL.EXPERT": what a run leaves in its model/
/// folder.
void keep_module(const RunPlan& plan, Storage& storage, ModuleId module, Version version,
                 std::span<const float> parameters);
/// The same of an earlier version that is some path's best (§2.7), under "model/module-LEVEL.EXPERT-version-VERSION".
void keep_best(const RunPlan& plan, Storage& storage, ModuleId module, Version version,
               std::span<const float> parameters);

/// A line for each module: all of them, hashed, are what a run's parameters_hash is of.
std::string lines_of(const std::map<ModuleId, std::string>& hashes);

/// The versions of a module that are some path's best, ascending.
std::vector<Version> best_versions(const Topology& topology, ModuleId module, const std::vector<PathVersion>& best);

/// "path 3", "module 1.2": for messages.
std::string text(PathId path);
std::string text(ModuleId module);

}  // namespace dipaco

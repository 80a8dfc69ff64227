#include "core/state/state_files.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/state/module_files.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {
namespace {

std::string state_key(PathId path, std::int32_t version, std::int32_t inner_steps) {
  std::string key = "paths/" + std::to_string(index(path)) + "/" + std::to_string(version);
  return inner_steps > 0 ? key + "_" + std::to_string(inner_steps) : key;
}

std::string fence_key(PathId path) { return "fences/" + std::to_string(index(path)); }

template <class Integer>
Integer integer(const Checkpoint& checkpoint, const char* fact, const std::string& source) {
  return static_cast<Integer>(checkpoint.integer(fact, source));
}

}  // namespace

StateFiles::StateFiles(const RunPlan& plan, Storage& storage)
    : plan_(plan), storage_(storage), retention_(plan.timetable, plan.topology) {
  for (const std::string& key : storage_.list("paths/")) read_state(key);
  for (const std::string& key : storage_.list("fences/")) read_fence(key);
}

void StateFiles::read_state(const std::string& key) {
  const Checkpoint checkpoint = decode_checkpoint(*storage_.get(key), key);
  HeldState held{.path = PathId{integer<std::int32_t>(checkpoint, "path", key)},
                 .version = integer<std::int32_t>(checkpoint, "version", key),
                 .inner_steps = integer<std::int32_t>(checkpoint, "inner_steps", key),
                 .epoch = integer<Epoch>(checkpoint, "epoch", key),
                 .worker = NodeId{integer<std::int32_t>(checkpoint, "worker", key)},
                 .loss_sum = checkpoint.number("loss_sum", key)};
  if (state_key(held.path, held.version, held.inner_steps) != key) {
    throw DataError(key + ": it holds version " + std::to_string(held.version) + " of " + text(held.path) +
                    "; put the file back where it was, or remove it");
  }
  states_[held.path][{held.version, held.inner_steps}] = held;
}

void StateFiles::read_fence(const std::string& key) {
  const Checkpoint checkpoint = decode_checkpoint(*storage_.get(key), key);
  fences_[PathId{integer<std::int32_t>(checkpoint, "path", key)}] = {
      OuterStep{integer<std::int32_t>(checkpoint, "outer_step", key)}, integer<Epoch>(checkpoint, "epoch", key)};
}

void StateFiles::keep(const PathStateBody& state, Epoch epoch, NodeId worker, const Values& gradient) {
  Checkpoint checkpoint = to_checkpoint(state);
  if (gradient.data != nullptr) checkpoint.arrays["gradient"] = *gradient.data;
  checkpoint.say("epoch", epoch);
  checkpoint.say("worker", index(worker));
  const std::vector<std::byte> bytes = encode(checkpoint);
  const Bytes charged = charged_on_disk(bytes.size(), {&state.parameters, &state.first_moment, &state.second_moment,
                                                       &state.velocity, &state.specific_before, &gradient});
  check(storage_.put_if_absent(state_key(state.path, state.version, state.inner_steps), {bytes, charged}),
        "a version is kept once");
  states_[state.path][{state.version, state.inner_steps}] = {state.path, state.version, state.inner_steps,
                                                             epoch,      worker,        state.loss_sum};
  forget_old(state.path);
}

void StateFiles::forget(PathId path, std::int32_t version) {
  storage_.remove(state_key(path, version, 0));
  states_.at(path).erase({version, 0});
}

const HeldState* StateFiles::find(PathId path, std::int32_t version, std::int32_t inner_steps) const {
  const auto states = states_.find(path);
  if (states == states_.end()) return nullptr;
  const auto found = states->second.find({version, inner_steps});
  return found == states->second.end() ? nullptr : &found->second;
}

std::int32_t StateFiles::newest(PathId path) const {
  std::int32_t newest = -1;
  const auto states = states_.find(path);
  if (states == states_.end()) return newest;
  for (const auto& [place, held] : states->second) {
    if (place.second == 0) newest = place.first;
  }
  return newest;
}

PathStateBody StateFiles::read(PathId path, std::int32_t version, std::int32_t inner_steps) const {
  const std::string key = state_key(path, version, inner_steps);
  return to_path_state(plan_, checkpoint(key), key);
}

Values StateFiles::gradient(PathId path, std::int32_t version) const {
  Checkpoint kept = checkpoint(state_key(path, version, 0));
  const auto found = kept.arrays.find("gradient");
  if (found == kept.arrays.end()) return {};
  return make_values(std::move(found->second), plan_.charged.size);
}

Checkpoint StateFiles::checkpoint(const std::string& key) const {
  const auto bytes = storage_.get(key);
  if (!bytes) throw DataError(key + ": it was there at the start and is gone; let nobody else write to the storage");
  return decode_checkpoint(*bytes, key);
}

std::vector<HeldState> StateFiles::held() const {
  std::vector<HeldState> all;
  for (const auto& [path, states] : states_) {
    for (const auto& [place, held] : states) all.push_back(held);
  }
  return all;
}

void StateFiles::refuse_below(PathId path, OuterStep outer_step, Epoch epoch) {
  Fence& fence = fences_[path];
  if (std::pair(outer_step, epoch) <= std::pair(fence.outer_step, fence.epoch)) return;
  fence = {outer_step, epoch};
  Checkpoint checkpoint;
  checkpoint.say("kind", "fence");
  checkpoint.say("path", index(path));
  checkpoint.say("outer_step", number(outer_step));
  checkpoint.say("epoch", epoch);
  storage_.put(fence_key(path), encode(checkpoint));
}

bool StateFiles::refused(PathId path, OuterStep outer_step, Epoch epoch) const {
  const auto fence = fences_.find(path);
  if (fence == fences_.end()) return false;
  return outer_step < fence->second.outer_step ||
         (outer_step == fence->second.outer_step && epoch < fence->second.epoch);
}

void StateFiles::release(const Released& released) {
  if (!retention_.release(released)) return;
  for (const auto& [path, states] : states_) forget_old(path);
}

void StateFiles::forget_old(PathId path) {
  const std::int32_t last = newest(path);
  const std::int32_t before = last > 0 ? plan_.timetable.state_version(path, last - 1) : 0;
  auto& states = states_.at(path);
  for (auto at = states.begin(); at != states.end();) {
    const auto [version, inner_steps] = at->first;
    const bool kept = inner_steps > 0 ? version >= last : version >= before || retention_.keeps(path, version);
    if (kept) {
      ++at;
      continue;
    }
    storage_.remove(state_key(path, version, inner_steps));
    at = states.erase(at);
  }
}

}  // namespace dipaco

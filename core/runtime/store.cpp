#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/runtime/node.hpp"
#include "core/runtime/path_values.hpp"
#include "core/runtime/roles.hpp"

namespace dipaco {
namespace {

/// What a store knows of a path without reading its storage.
struct PathEntry {
  std::int32_t version = -1;          ///< newest committed here; -1: none
  Epoch epoch = 0;                    ///< of the attempt that committed it
  NodeId worker{-1};                  ///< who put it
  std::int32_t partial_version = -1;  ///< of the newest part handed back
  std::int32_t partial_inner_steps = 0;
  std::int32_t fence_version = -1;  ///< attempts at this task below `fence_epoch` are refused
  Epoch fence_epoch = 0;
};

std::string state_key(PathId path, std::int32_t version) {
  return "paths/" + std::to_string(index(path)) + "/" + std::to_string(version);
}

std::string partial_key(PathId path) { return "paths/" + std::to_string(index(path)) + "/partial"; }

/// Keeps path states; its acknowledgement commits a task. A second put of a version is refused (§3.2).
class Store {
 public:
  Store(const RunPlan& plan, Seams seams) : plan_(plan), seams_(seams) {}

  void run() {
    while (!finished_) {
      auto incoming = seams_.transport.receive(Seconds(-1));
      check(incoming.has_value(), "a wait without a limit ends with something");
      if (auto* envelope = std::get_if<Envelope>(&*incoming)) handle(envelope->from, std::move(envelope->message));
    }
  }

 private:
  void handle(NodeId from, Message message) {
    if (auto* request = std::get_if<PutPathState>(&message.body)) {
      put(from, *request);
    } else if (auto* fetch = std::get_if<FetchPathState>(&message.body)) {
      serve(from, *fetch);
    } else if (auto* lost = std::get_if<FetchPathModule>(&message.body)) {
      serve(from, *lost);
    } else if (auto* query = std::get_if<QueryPath>(&message.body)) {
      answer(from, *query);
    } else if (auto* release = std::get_if<Release>(&message.body)) {
      released_.insert(release->version);
      for (const auto& [path, entry] : paths_) {
        if (release->version < entry.version - 1) seams_.storage.remove(state_key(path, release->version));
      }
    } else if (auto* finish_now = std::get_if<Finish>(&message.body)) {
      finish(*finish_now);
    }
  }

  void put(NodeId from, const PutPathState& request) {
    const PathStateBody& state = request.state;
    PathEntry& entry = paths_[state.path];
    const bool whole = state.inner_steps == 0;
    const std::int32_t task_version = whole ? state.version - 1 : state.version;
    const bool again = whole && entry.version == state.version && entry.epoch == request.epoch && entry.worker == from;
    const bool fenced = entry.fence_version == task_version && request.epoch < entry.fence_epoch;
    const bool accepted = again || (!fenced && entry.version < (whole ? state.version : state.version + 1));
    if (accepted && !again) whole ? keep(from, request, entry) : keep_part(request, entry);
    seams_.transport.send(from, make_message(Stored{state.path, state.version, state.inner_steps, accepted}));
    if (!accepted) return;
    seams_.transport.send(kCoordinator, make_message(Committed{state.path, state.version, state.inner_steps,
                                                               request.epoch, from, state.loss_sum}));
  }

  void keep(NodeId from, const PutPathState& request, PathEntry& entry) {
    const PathStateBody& state = request.state;
    check(seams_.storage.put_if_absent(state_key(state.path, state.version), encode(to_checkpoint(state))),
          "a committed version is put once");
    // The last two versions stay: an outer gradient that was lost is made again from the newest.
    if (entry.version >= 0 && !pinned(entry.version - 1)) {
      seams_.storage.remove(state_key(state.path, entry.version - 1));
    }
    if (entry.partial_version >= 0) seams_.storage.remove(partial_key(state.path));
    entry = {.version = state.version, .epoch = request.epoch, .worker = from};
  }

  void keep_part(const PutPathState& request, PathEntry& entry) {
    const PathStateBody& state = request.state;
    seams_.storage.put(partial_key(state.path), encode(to_checkpoint(state)));
    entry.partial_version = state.version;
    entry.partial_inner_steps = state.inner_steps;
  }

  bool pinned(std::int32_t version) const {
    const auto every = plan_.config.evaluate.every;
    return plan_.learner != nullptr && every > 0 && version > 0 && version % every == 0 && !released_.contains(version);
  }

  PathStateBody read(const std::string& key) const {
    const auto bytes = seams_.storage.get(key);
    check(bytes.has_value(), "what is fetched was committed and is kept: " + key);
    return to_path_state(plan_, decode_checkpoint(*bytes, key), key);
  }

  void serve(NodeId from, const FetchPathState& fetch) {
    PathStateBody state = read(fetch.inner_steps > 0 ? partial_key(fetch.path) : state_key(fetch.path, fetch.version));
    if (!fetch.moments) {
      state.first_moment = state.second_moment = state.velocity = {};
    }
    seams_.transport.send(from, make_message(PathState{std::move(state)}));
  }

  void serve(NodeId from, const FetchPathModule& fetch) {
    const PathStateBody state = read(state_key(fetch.path, fetch.version));
    const auto level = static_cast<std::size_t>(fetch.module.level);
    Values part{nullptr, plan_.charged.levels[level].size};
    if (plan_.learner != nullptr) {
      const auto slice = plan_.layout.part(floats_of(state.parameters), fetch.module.level);
      part = make_values({slice.begin(), slice.end()}, part.charged, true);
    }
    seams_.transport.send(from, make_message(PathModule{fetch.module, fetch.path, fetch.version, std::move(part)}));
  }

  void answer(NodeId from, const QueryPath& query) {
    PathEntry& entry = paths_[query.path];
    entry.fence_version = query.outer_step;
    entry.fence_epoch = query.epoch;
    seams_.transport.send(from, make_message(PathStatus{query.path, query.epoch, entry.version, entry.partial_version,
                                                        entry.partial_inner_steps}));
  }

  void finish(const Finish& request) {
    Finished finished;
    for (const PathId path : request.paths) {
      if (plan_.learner == nullptr) break;
      const PathStateBody state = read(state_key(path, request.version));
      for (std::int32_t l = 0; l < plan_.topology.levels(); ++l) {
        const ModuleId module = plan_.topology.module(path, l);
        if (!plan_.topology.path_specific(module)) continue;
        const auto slice = plan_.layout.part(floats_of(state.parameters), l);
        finished.hashes.push_back({module, hash_hex(slice)});
        keep_module(seams_.storage, module, request.version, slice);
      }
    }
    seams_.transport.send(kCoordinator, make_message(std::move(finished)));
    finished_ = true;
  }

  const RunPlan& plan_;
  Seams seams_;
  std::map<PathId, PathEntry> paths_;
  std::set<std::int32_t> released_;  ///< versions whose evaluation is over
  bool finished_ = false;
};

}  // namespace

void run_store(const RunPlan& plan, Seams seams, const NodeSelf& self) {
  say_hello(plan, seams, self);
  Store(plan, seams).run();
}

}  // namespace dipaco

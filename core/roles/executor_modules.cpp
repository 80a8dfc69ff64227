#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/roles/executor.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

void Executor::say(Hello& hello) const {
  hello.modules = files_.held();
  for (const auto& [module, mine] : modules_) {
    if (mine.out) hello.modules.push_back({module, mine.version, mine.epoch});
  }
}

void Executor::take(const OwnModules& own) {
  told_ = false;  // until all of them have begun
  files_.release(own.released);
  std::map<ModuleId, Module> kept;
  for (const OwnModule& each : own.modules) {
    const auto known = modules_.find(each.module);
    if (known != modules_.end() && known->second.epoch == each.epoch) {
      kept.insert(modules_.extract(known));
    }
  }
  modules_ = std::move(kept);
  std::erase_if(sent_, [&](const Errand& errand) { return !modules_.contains(errand.module); });
  for (const OwnModule& each : own.modules) {
    const auto known = modules_.find(each.module);
    if (known == modules_.end()) {
      begin(each);
      continue;
    }
    Module& mine = known->second;
    const auto has = [](const std::vector<NodeId>& stores, NodeId store) {
      return std::find(stores.begin(), stores.end(), store) != stores.end();
    };
    std::erase_if(mine.unstored, [&](NodeId store) { return !has(each.copies, store); });
    for (const NodeId store : each.copies) {
      if (!has(mine.copies, store) && mine.version > 0) mine.unstored.insert(store);
    }
    std::erase_if(mine.supplied, [&](NodeId store) { return !has(each.copies, store); });
    mine.copies = each.copies;
    if (mine.version < 0) continue;
    put_copies(each.module, mine);
    publish_if_durable(each.module, mine);
  }
  told_ = true;
  take_early();
}

void Executor::begin(const OwnModule& own) {
  Module& mine = modules_[own.module];
  mine.epoch = own.epoch;
  mine.announced = own.version;
  mine.copies = own.copies;
  const auto here = files_.versions(own.module);
  if (!here.empty() && here.back() >= own.version) return load(own.module, here.back());
  mine.source = own.source;
  if (own.source == NodeId{-1}) {
    check(own.version == 0, "a module that has stepped comes from where it is");
    return load(own.module, 0);
  }
  run_errands();
}

/// The module is here at `version`: it is put to stores that must have it, and is out once they do.
void Executor::load(ModuleId module, std::int32_t version) {
  Module& mine = modules_.at(module);
  mine.source = NodeId{-1};
  mine.version = version;
  mine.parameters = start_module(plan_, module);
  mine.velocity = start_velocity(plan_, module.level);
  if (version > 0) {
    const ModuleState state = files_.read(module, version);
    mine.parameters = state.parameters;
    if (plan_.learner != nullptr) mine.velocity = *state.velocity.data;
    mine.norm = state.norm;
    mine.unstored = {mine.copies.begin(), mine.copies.end()};
  }
  mine.sum = OuterAccumulator(plan_.learner == nullptr ? 0 : floats_of(mine.parameters).size());
  put_copies(module, mine);
  publish_if_durable(module, mine);
  take_early();
}

void Executor::take_copy(NodeId from, const ModuleCopy& copy) {
  const auto found = modules_.find(copy.module);
  if (found == modules_.end() || found->second.epoch != copy.epoch || found->second.version >= 0) return;
  files_.keep(copy.module, {copy.version, copy.epoch, copy.norm, copy.parameters, copy.velocity});
  if (!copy.last) return;
  sent_.erase({from, copy.module});
  load(copy.module, copy.version);
}

ModuleState Executor::state_of(const Module& mine) const {
  const bool learned = plan_.learner != nullptr;
  return {mine.version, mine.epoch, mine.norm, mine.parameters,
          make_values(mine.velocity, velocity_factor(plan_) * mine.parameters.charged, learned)};
}

void Executor::put_copies(ModuleId module, Module& mine) {
  for (const NodeId store : mine.unstored) {
    if (!sent_.insert({store, module, PathId{-1}, mine.version}).second) continue;
    for (const std::int32_t version : files_.versions(module)) {
      if (version < mine.version && mine.supplied.contains(store)) continue;
      const ModuleState state = version == mine.version ? state_of(mine) : files_.read(module, version);
      seams_.transport.send(
          store, make_message(PutModule{module, version, mine.epoch, state.norm, state.parameters, state.velocity}));
    }
  }
}

void Executor::stored(NodeId from, const ModuleStored& answer) {
  const auto found = modules_.find(answer.module);
  if (found == modules_.end() || found->second.epoch != answer.epoch) return;
  Module& mine = found->second;
  if (!answer.accepted) {
    modules_.erase(found);  // it is another's by now; who lacks it hears so from the coordinator
    return;
  }
  sent_.erase({from, answer.module, PathId{-1}, answer.version});
  if (answer.version != mine.version) return;
  mine.unstored.erase(from);
  mine.supplied.insert(from);
  if (mine.out && mine.unstored.empty()) {
    // A copy of what is out already: another owner may be found by it.
    seams_.transport.send(kCoordinator,
                          make_message(ModuleReady{answer.module, mine.version, mine.epoch, mine.copies}));
  }
  publish_if_durable(answer.module, mine);
}

void Executor::publish_if_durable(ModuleId module, Module& mine) {
  if (mine.out || !mine.unstored.empty()) return;
  mine.out = true;
  if (mine.version > std::exchange(mine.announced, mine.version)) {
    seams_.log.record({.time = seams_.compute.now(),
                       .kind = EventKind::module_stepped,
                       .node = seams_.transport.self(),
                       .module = module,
                       .outer_step = mine.version,
                       .value = mine.norm});
  }
  seams_.transport.send(kCoordinator, make_message(ModuleReady{module, mine.version, mine.epoch, mine.copies}));
  for (auto at = mine.waiting.begin(); at != mine.waiting.end();) {
    const bool now = at->second <= mine.version;
    if (at->second == mine.version) mine.receivers.insert(at->first);
    at = now ? mine.waiting.erase(at) : std::next(at);
  }
  for (const NodeId node : std::exchange(mine.receivers, {})) {  // by id: the same order on every run
    seams_.transport.send(node, make_message(ModuleValues{module, mine.version, mine.epoch, mine.parameters}));
  }
  if (mine.version < plan_.config.outer.steps && contributors(module, mine.version).empty()) step(module, mine);
}

void Executor::finish(const Finish& request) {
  Finished finished;
  for (const auto& [module, mine] : modules_) {
    if (plan_.learner == nullptr || !mine.out || mine.version != request.version) continue;
    finished.hashes.push_back({module, hash_hex(floats_of(mine.parameters))});
    keep_module(plan_, seams_.storage, module, mine.version, floats_of(mine.parameters));
    for (const std::int32_t version : best_versions(plan_.topology, module, request.best)) {
      if (version == mine.version || !files_.has(module, version)) continue;
      keep_best(plan_, seams_.storage, module, version, floats_of(files_.read(module, version).parameters));
      finished.best.push_back({module, version});
    }
  }
  seams_.transport.send(kCoordinator, make_message(std::move(finished)));
}

bool Executor::errands_unsent() const {
  return std::any_of(modules_.begin(), modules_.end(), [&](const auto& entry) {
    const auto& [module, mine] = entry;
    const auto unsent = [&](const Errand& errand) { return !sent_.contains(errand); };
    if (mine.version < 0) return mine.source != NodeId{-1} && unsent({mine.source, module});
    const bool copy = std::any_of(mine.unstored.begin(), mine.unstored.end(), [&](NodeId store) {
      return unsent({store, module, PathId{-1}, mine.version});
    });
    return copy || std::any_of(mine.remaking.begin(), mine.remaking.end(), [&](const auto& lost) {
             return unsent({lost.second, module, lost.first});
           });
  });
}

void Executor::run_errands() {
  for (auto& [module, mine] : modules_) {
    if (mine.version < 0) {
      if (mine.source != NodeId{-1} && sent_.insert({mine.source, module}).second) {
        seams_.transport.send(mine.source, make_message(FetchModuleCopy{module, mine.epoch}));
      }
      continue;
    }
    put_copies(module, mine);
    for (const auto& [path, store] : mine.remaking) {
      if (!sent_.insert({store, module, path}).second) continue;
      seams_.transport.send(store, make_message(FetchPathModule{module, path, mine.version + 1}));
    }
  }
}

}  // namespace dipaco

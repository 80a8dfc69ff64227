#include "core/roles/modules/store_errands.hpp"

#include <algorithm>

namespace dipaco {

void StoreErrands::run(const Modules& modules) {
  for (const auto& [module, mine] : modules) {
    if (!mine.here) {
      if (mine.source != NodeId{-1} && sent_.insert({mine.source, module}).second) {
        transport_.send(mine.source, make_message(FetchModuleCopy{module, mine.epoch}));
      }
      continue;
    }
    put_copies(module, mine);
    for (const auto& [path, lost] : mine.remaking) {
      if (!sent_.insert({lost.store, module, path}).second) continue;
      transport_.send(lost.store, make_message(FetchPathModule{module, path, version_after(lost.task.outer_step)}));
    }
  }
}

bool StoreErrands::unsent(const Modules& modules) const {
  return std::any_of(modules.begin(), modules.end(), [&](const auto& entry) {
    const auto& [module, mine] = entry;
    const auto is_unsent = [&](const Errand& errand) { return !sent_.contains(errand); };
    if (!mine.here) return mine.source != NodeId{-1} && is_unsent({mine.source, module});
    const bool copy = std::any_of(mine.unstored.begin(), mine.unstored.end(), [&](NodeId store) {
      return is_unsent({store, module, PathId{-1}, mine.version});
    });
    return copy || std::any_of(mine.remaking.begin(), mine.remaking.end(), [&](const auto& lost) {
             return is_unsent({lost.second.store, module, lost.first});
           });
  });
}

void StoreErrands::put_copies(ModuleId module, const OwnedModule& mine) {
  for (const NodeId store : mine.unstored) {
    if (!sent_.insert({store, module, PathId{-1}, mine.version}).second) continue;
    for (const Version version : files_.versions(module)) {
      const bool earlier = version < mine.version;
      if (earlier ? mine.supplied.contains(store) : version != mine.version) continue;
      ModuleState state = version == mine.version ? mine.state() : files_.read(module, version);
      transport_.send(
          store, make_message(PutModule{module, version, mine.epoch, std::move(state.update), std::move(state.settled),
                                        std::move(state.parameters), std::move(state.velocity)}));
    }
  }
}

void StoreErrands::lost(NodeId store) {
  std::erase_if(sent_, [&](const Errand& errand) { return errand.store == store; });
}

void StoreErrands::keep_only(const Modules& modules) {
  std::erase_if(sent_, [&](const Errand& errand) { return !modules.contains(errand.module); });
}

void StoreErrands::fetched(ModuleId module, PathId path) {
  std::erase_if(sent_, [&](const Errand& errand) { return errand.module == module && errand.path == path; });
}

}  // namespace dipaco

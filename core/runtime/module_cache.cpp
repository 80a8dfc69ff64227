#include "core/runtime/module_cache.hpp"

#include "core/base/error.hpp"
#include "core/runtime/path_values.hpp"

namespace dipaco {

void ModuleCache::arrived(const ModuleValues& values) {
  entries_.insert_or_assign({values.module, values.version}, values.parameters);
  const auto expected = expected_.find(values.module);
  if (expected != expected_.end() && expected->second == values.version) expected_.erase(expected);
}

bool ModuleCache::has(ModuleId module, std::int32_t version) const { return entries_.contains({module, version}); }

template <class Wanted>
void ModuleCache::request_where(PathId path, std::int32_t version, const std::vector<NodeId>& executors,
                                Wanted wanted) {
  for (std::int32_t l = 0; l < plan_.topology.levels(); ++l) {
    const ModuleId module = plan_.topology.module(path, l);
    if (plan_.topology.path_specific(module) || has(module, version)) continue;
    if (version == 0) {
      entries_[{module, 0}] = start_module(plan_, module);  // everyone has the prepared start
    } else if (wanted(module)) {
      transport_.send(executors[static_cast<std::size_t>(l)], make_message(FetchModule{module, version}));
    }
  }
}

void ModuleCache::request(PathId path, std::int32_t version, const std::vector<NodeId>& executors) {
  request_where(path, version, executors, [&](ModuleId module) {
    const auto expected = expected_.find(module);
    return expected == expected_.end() || expected->second != version;
  });
}

void ModuleCache::request_again(PathId path, std::int32_t version, const std::vector<NodeId>& executors) {
  request_where(path, version, executors, [](ModuleId) { return true; });
}

bool ModuleCache::complete(PathId path, std::int32_t version) const {
  for (std::int32_t l = 0; l < plan_.topology.levels(); ++l) {
    const ModuleId module = plan_.topology.module(path, l);
    if (!plan_.topology.path_specific(module) && !has(module, version)) return false;
  }
  return true;
}

const Values& ModuleCache::get(ModuleId module, std::int32_t version) const {
  check(has(module, version), "a module is gathered before it is used");
  return entries_.find({module, version})->second;
}

void ModuleCache::drop_below(std::int32_t version) {
  std::erase_if(entries_, [version](const auto& entry) { return entry.first.second < version; });
}

}  // namespace dipaco

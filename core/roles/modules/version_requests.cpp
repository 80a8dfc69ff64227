#include "core/roles/modules/version_requests.hpp"

#include <utility>

namespace dipaco {

void VersionRequests::serve(Modules& modules, NodeId from, const FetchModule& fetch) {
  const auto found = modules.find(fetch.module);
  if (found == modules.end() || fetch.epoch > found->second.epoch) {
    // Who asks has heard before this executor that it is the owner. Where it was the owner: who asks will hear of the
    // next.
    early_[fetch.module].asked[fetch.epoch].emplace(from, fetch.version);
    return;
  }
  OwnedModule& mine = found->second;
  if (fetch.epoch < mine.epoch) return;
  if (!mine.here || fetch.version > mine.version || (fetch.version == mine.version && !mine.out)) {
    mine.awaited.asked.emplace(from, fetch.version);
    return;
  }
  Values parameters = mine.parameters;
  if (fetch.version < mine.version) {
    if (!files_.has(fetch.module, fetch.version)) return;  // from a task that is over
    parameters = files_.read(fetch.module, fetch.version).parameters;
  }
  transport_.send(from,
                  make_message(ModuleValues{fetch.module, fetch.version, mine.epoch, parameters, fetch.evaluates}));
}

void VersionRequests::serve_late(const RunPlan& plan, Modules& modules, NodeId from, const OuterGradient& given) {
  OwnedModule& mine = modules.at(given.module);
  const bool late = mine.contributions.contains(given.task.path) && given.base < mine.version;
  if (!late || !expects_next(plan, from, given.task.outer_step)) return;
  mine.contributions.sent_again(given.task.path, NodeId{-1});  // nothing more is pushed to it for this one
  serve(modules, from, {given.module, mine.version, mine.epoch});
}

AwaitedVersions VersionRequests::take(ModuleId module, Epoch epoch) {
  Early& early = early_[module];
  AwaitedVersions awaited{.asked = {}, .expected = std::exchange(early.expected, {})};
  const auto later = early.asked.upper_bound(epoch);
  for (auto each = early.asked.begin(); each != later; ++each) awaited.asked.merge(each->second);
  early.asked.erase(early.asked.begin(), later);
  return awaited;
}

void VersionRequests::lost(NodeId node) {
  const auto is_of = [node](const auto& awaited) { return awaited.first == node; };
  for (auto& [module, early] : early_) {
    for (auto& [epoch, asked] : early.asked) std::erase_if(asked, is_of);
    std::erase_if(early.expected, is_of);
  }
}

}  // namespace dipaco

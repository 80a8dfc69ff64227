#include "core/roles/supplies/shared_fetches.hpp"

namespace dipaco {
namespace {

/// A worker takes no values of an owner's before the one that it knows; a version has the same whoever gives it.
ModuleValues as_of(ModuleValues values, Epoch epoch) {
  values.epoch = epoch;
  return values;
}

}  // namespace

void SharedFetches::ask(NodeId worker, const FetchThroughCache& through) {
  const auto& [wanted, owner] = through;
  const auto known = newest_.find(wanted.module);
  if (known != newest_.end() && known->second.version == wanted.version) {
    return transport_.send(worker, make_message(as_of(known->second, wanted.epoch)));
  }
  Fetch& fetch = under_way_[{wanted.module, wanted.version}];
  fetch.waiting[worker] = wanted.epoch;
  if (fetch.owner != NodeId{-1} && wanted.epoch <= fetch.epoch) return;
  fetch.owner = owner;
  fetch.epoch = wanted.epoch;
  transport_.send(owner, make_message(wanted));
}

void SharedFetches::arrived(const ModuleValues& values, const Envelope& with) {
  arrivals_.note(with);
  const auto fetch = under_way_.extract({values.module, values.version});
  if (fetch) {
    for (const auto& [worker, epoch] : fetch.mapped().waiting) {
      transport_.send(worker, make_message(as_of(values, epoch)));
    }
  }
  const auto [known, first] = newest_.try_emplace(values.module, values);
  if (!first && values.version > known->second.version) known->second = values;
}

void SharedFetches::lost(NodeId node) {
  for (auto& [part, fetch] : under_way_) {
    fetch.waiting.erase(node);
    if (fetch.owner != node) continue;
    for (const auto& [worker, epoch] : fetch.waiting) {
      transport_.send(worker, make_message(FetchFailed{part.first, part.second}));
    }
  }
  std::erase_if(under_way_, [node](const auto& each) { return each.second.owner == node; });
}

}  // namespace dipaco

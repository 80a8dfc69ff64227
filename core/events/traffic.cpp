#include "core/events/traffic.hpp"

#include "core/base/error.hpp"

namespace dipaco {
namespace {

constexpr std::array kMessageNames{
    "hello",
    "who_is_there",
    "own_modules",
    "owners",
    "task",
    "fetch_module",
    "module",
    "fetch_path_state",
    "path_state",
    "put_path_state",
    "stored",
    "copy_path_state",
    "committed",
    "outer_gradient",
    "fetch_path_module",
    "path_module",
    "put_module",
    "module_stored",
    "fetch_module_copy",
    "module_copy",
    "module_ready",
    "gradients_lost",
    "query_path",
    "path_status",
    "task_done",
    "evaluate",
    "evaluated",
    "fit_router",
    "router_fitted",
    "route_documents",
    "documents_routed",
    "fetch_shard",
    "shard_documents",
    "shard_sizes",
    "release",
    "finish",
    "finished",
    "goodbye",
    "attend",
    "measure_link",
    "probe",
    "probe_arrived",
    "link_measured",
    "state_refused",
    "keep_versions",
};
static_assert(kMessageNames.size() == kMessageKinds);

}  // namespace

const char* name(MessageKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  check(index < kMessageKinds, "a kind of message has a name");
  return kMessageNames[index];
}

void Traffic::count(MessageKind kind, Bytes size, SiteId from, SiteId to) {
  ++messages;
  (from == to ? lan : wan) += size;
  by_kind[static_cast<std::size_t>(kind)] += size;
  ++messages_by_kind[static_cast<std::size_t>(kind)];
  by_sites[{from, to}] += size;
}

Traffic& Traffic::operator+=(const Traffic& other) {
  messages += other.messages;
  wan += other.wan;
  lan += other.lan;
  for (std::size_t kind = 0; kind < kMessageKinds; ++kind) {
    by_kind[kind] += other.by_kind[kind];
    messages_by_kind[kind] += other.messages_by_kind[kind];
  }
  for (const auto& [sites, bytes] : other.by_sites) by_sites[sites] += bytes;
  return *this;
}

}  // namespace dipaco

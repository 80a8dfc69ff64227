#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// Kinds of messages; the order is part of the wire format.
enum class MessageKind : std::uint8_t {
  hello,
  who_is_there,
  own_modules,
  owners,
  task,
  fetch_module,
  module,
  fetch_path_state,
  path_state,
  put_path_state,
  stored,
  copy_path_state,
  committed,
  outer_gradient,
  fetch_path_module,
  path_module,
  put_module,
  module_stored,
  fetch_module_copy,
  module_copy,
  module_ready,
  gradients_lost,
  query_path,
  path_status,
  task_done,
  evaluate,
  evaluated,
  fit_router,
  router_fitted,
  route_documents,
  documents_routed,
  fetch_shard,
  shard_documents,
  shard_sizes,
  release,
  finish,
  finished,
  goodbye,
  attend,
  measure_link,
  probe,
  probe_arrived,
  link_measured,
  state_refused,
  keep_versions,
};
inline constexpr std::size_t kMessageKinds = static_cast<std::size_t>(MessageKind::keep_versions) + 1;
const char* name(MessageKind kind);

/// Bytes and messages, counted where messages are sent.
struct Traffic {
  std::uint64_t messages = 0;
  Bytes wan;  ///< between sites
  Bytes lan;  ///< within a site
  std::array<Bytes, kMessageKinds> by_kind{};
  std::array<std::uint64_t, kMessageKinds> messages_by_kind{};
  std::map<std::pair<SiteId, SiteId>, Bytes> by_sites;  ///< (from, to)

  void count(MessageKind kind, Bytes size, SiteId from, SiteId to);
  Traffic& operator+=(const Traffic& other);
};

}  // namespace dipaco

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
  how_far,
  movement,
  make_gradients,
  gradients_made,
  nobody_else,
  ask_for_turn,
  turn,
  turn_over,
  gradient_doubted,
  fetch_through_cache,
  fetch_failed,
  relayed_gradient,
  gradient_sum,
  gradient_taken,
  region_difference,
  global_parameters,
  last_difference,
};

/// What reports know of a kind.
struct MessageRow {
  MessageKind kind{};
  const char* name = "";
  bool recorded = false;  ///< each one is an event of its own: those that carry parameters; others are counted only
};

/// In the order of MessageKind.
inline constexpr std::array kMessageTable{
    MessageRow{MessageKind::hello, "hello"},
    MessageRow{MessageKind::who_is_there, "who_is_there"},
    MessageRow{MessageKind::own_modules, "own_modules"},
    MessageRow{MessageKind::owners, "owners"},
    MessageRow{MessageKind::task, "task"},
    MessageRow{MessageKind::fetch_module, "fetch_module"},
    MessageRow{MessageKind::module, "module", true},
    MessageRow{MessageKind::fetch_path_state, "fetch_path_state"},
    MessageRow{MessageKind::path_state, "path_state", true},
    MessageRow{MessageKind::put_path_state, "put_path_state", true},
    MessageRow{MessageKind::stored, "stored"},
    MessageRow{MessageKind::copy_path_state, "copy_path_state"},
    MessageRow{MessageKind::committed, "committed"},
    MessageRow{MessageKind::outer_gradient, "outer_gradient", true},
    MessageRow{MessageKind::fetch_path_module, "fetch_path_module"},
    MessageRow{MessageKind::path_module, "path_module", true},
    MessageRow{MessageKind::put_module, "put_module", true},
    MessageRow{MessageKind::module_stored, "module_stored"},
    MessageRow{MessageKind::fetch_module_copy, "fetch_module_copy"},
    MessageRow{MessageKind::module_copy, "module_copy", true},
    MessageRow{MessageKind::module_ready, "module_ready"},
    MessageRow{MessageKind::gradients_lost, "gradients_lost"},
    MessageRow{MessageKind::query_path, "query_path"},
    MessageRow{MessageKind::path_status, "path_status"},
    MessageRow{MessageKind::task_done, "task_done"},
    MessageRow{MessageKind::evaluate, "evaluate"},
    MessageRow{MessageKind::evaluated, "evaluated"},
    MessageRow{MessageKind::fit_router, "fit_router"},
    MessageRow{MessageKind::router_fitted, "router_fitted"},
    MessageRow{MessageKind::route_documents, "route_documents"},
    MessageRow{MessageKind::documents_routed, "documents_routed"},
    MessageRow{MessageKind::fetch_shard, "fetch_shard"},
    MessageRow{MessageKind::shard_documents, "shard_documents"},
    MessageRow{MessageKind::shard_sizes, "shard_sizes"},
    MessageRow{MessageKind::release, "release"},
    MessageRow{MessageKind::finish, "finish"},
    MessageRow{MessageKind::finished, "finished"},
    MessageRow{MessageKind::goodbye, "goodbye"},
    MessageRow{MessageKind::attend, "attend"},
    MessageRow{MessageKind::measure_link, "measure_link"},
    MessageRow{MessageKind::probe, "probe"},
    MessageRow{MessageKind::probe_arrived, "probe_arrived"},
    MessageRow{MessageKind::link_measured, "link_measured"},
    MessageRow{MessageKind::state_refused, "state_refused"},
    MessageRow{MessageKind::keep_versions, "keep_versions"},
    MessageRow{MessageKind::how_far, "how_far"},
    MessageRow{MessageKind::movement, "movement"},
    MessageRow{MessageKind::make_gradients, "make_gradients"},
    MessageRow{MessageKind::gradients_made, "gradients_made"},
    MessageRow{MessageKind::nobody_else, "nobody_else"},
    MessageRow{MessageKind::ask_for_turn, "ask_for_turn"},
    MessageRow{MessageKind::turn, "turn"},
    MessageRow{MessageKind::turn_over, "turn_over"},
    MessageRow{MessageKind::gradient_doubted, "gradient_doubted"},
    MessageRow{MessageKind::fetch_through_cache, "fetch_through_cache"},
    MessageRow{MessageKind::fetch_failed, "fetch_failed"},
    MessageRow{MessageKind::relayed_gradient, "relayed_gradient", true},
    MessageRow{MessageKind::gradient_sum, "gradient_sum", true},
    MessageRow{MessageKind::gradient_taken, "gradient_taken"},
    MessageRow{MessageKind::region_difference, "region_difference", true},
    MessageRow{MessageKind::global_parameters, "global_parameters", true},
    MessageRow{MessageKind::last_difference, "last_difference"},
};
inline constexpr std::size_t kMessageKinds = kMessageTable.size();

/// @throws std::logic_error where it is no kind of the table
const MessageRow& row_of(MessageKind kind);
const char* name(MessageKind kind);

/// What goes from one site to another, or within one.
struct SiteTraffic {
  Bytes sent;              ///< counted where it is sent
  std::uint64_t came = 0;  ///< large messages of which it is known how long they took, counted where they come
  Bytes came_bytes;        ///< in these
  Seconds moving{};        ///< that they took, summed
  Seconds waited{};        ///< that each waited for its turn before, summed
  Seconds longest_wait{};  ///< of one

  void arrived(Bytes size, Seconds took, Seconds waited_before);
  /// Bytes a second of a message on its way, beside others; 0 where none has come.
  double rate() const;
  Seconds mean_wait() const;
  SiteTraffic& operator+=(const SiteTraffic& other);
  friend bool operator==(const SiteTraffic&, const SiteTraffic&) = default;
};

/// Bytes and messages, counted where messages are sent.
struct Traffic {
  std::uint64_t messages = 0;
  Bytes wan;  ///< between sites
  Bytes lan;  ///< within a site
  std::array<Bytes, kMessageKinds> by_kind{};
  std::array<std::uint64_t, kMessageKinds> messages_by_kind{};
  std::map<std::pair<SiteId, SiteId>, SiteTraffic> by_sites;  ///< (from, to)

  /// Counts one message of `size`.
  void count(MessageKind kind, Bytes size, SiteId from, SiteId to);
  Traffic& operator+=(const Traffic& other);
};

}  // namespace dipaco

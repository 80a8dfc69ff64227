#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "backends/gloo/links/frame.hpp"
#include "backends/gloo/links/sealing/secret.hpp"
#include "backends/gloo/links/session.hpp"
#include "backends/gloo/meeting/endpoint.hpp"
#include "backends/gloo/meeting/registry.hpp"

namespace dipaco {

struct NetworkOptions {
  std::optional<Secret> secret{};
  bool insecure = false;            ///< without a secret it listens on other addresses than loopback, too
  Endpoint listen{"127.0.0.1", 0};  ///< port 0: the first of `ports` that is free
  PortRange ports{};
  std::string reached_at{};  ///< where the others find it; "": where it listens
  SessionOptions session{};
  bool line_turns = true;  ///< run.line_turns: of large messages between sites
  bool rounds = true;      ///< of the run's policy: messages have an outer step at which they are needed
  Member self{};           ///< role, incarnation, site_name, machine
  Token key{};             ///< of this node's state
  std::string run{};       ///< whose state it is; "": nobody's yet
  std::string version{};
  std::string config_hash{};
  /// Where the coordinator is, as far as this is known now. Not of the coordinator's own. On the links' thread.
  std::function<std::optional<Endpoint>()> find_coordinator{};
  Registry* registry = nullptr;  ///< of the coordinator; null: this is another node
  /// Coordinator: keeps a report of another node, which may come more than once. @returns its number. On the links'
  /// thread
  std::function<std::uint64_t(NodeId, std::span<const std::byte>)> report{};
  std::function<void(const std::string&)> note{};  ///< for the log, on the links' thread
  std::function<void(bool)> urgent{};  ///< hears whether urgent messages (urgent_mail.hpp) wait here, on any thread
};

}  // namespace dipaco

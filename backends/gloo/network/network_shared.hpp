#pragma once

#include "backends/gloo/links/inbox.hpp"
#include "backends/gloo/network/member_list.hpp"
#include "backends/gloo/network/network_options.hpp"
#include "backends/gloo/network/run_clock.hpp"
#include "backends/gloo/network/stall_book.hpp"

namespace dipaco {

/// What all parts of a node's network use. It outlives them.
struct NetworkShared {
  explicit NetworkShared(NetworkOptions given) : options(std::move(given)), members(options.run) {}

  const Secret* secret() const { return options.secret ? &*options.secret : nullptr; }
  Seconds limit() const { return options.session.limit; }
  void note(const std::string& text) const {
    if (options.note) options.note(text);
  }

  NetworkOptions options;
  mutable asio::io_context io;  ///< const for who only asks
  Inbox inbox;
  MemberList members;
  RunClock clock;
  StallBook stalls;
};

}  // namespace dipaco

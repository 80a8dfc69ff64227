#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "backends/gloo/links/asio.hpp"
#include "backends/gloo/meeting/endpoint.hpp"

namespace dipaco::testing {

/// What a relay does with one connection, both ways: towards the node behind it and back.
struct RelayPlan {
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  std::uint64_t swallow_there = kNever;  ///< once so many bytes went there, the rest is acknowledged and thrown away
  std::uint64_t swallow_back = kNever;
  std::uint64_t reset = kNever;     ///< once so many bytes went there, both ends hear of an error
  std::uint64_t bytes_at_once = 0;  ///< there, every quarter of a second; 0: as fast as may be
};

/// Stands between the nodes of a run and one of them, over loopback addresses: listens where the others find that node,
/// and forwards to where it listens. Has a thread of its own.
class Relay {
 public:
  /// @param plans  by connection, in the order in which they are opened; those behind the last are forwarded
  Relay(Endpoint listen, Endpoint behind, std::vector<RelayPlan> plans);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  /// Forwarded so far, over all connections.
  std::uint64_t there() const { return there_; }
  std::uint64_t back() const { return back_; }
  std::size_t connections() const { return connections_; }

 private:
  struct Line;
  Awaitable<void> accept_all();
  Awaitable<void> serve(std::shared_ptr<Line> line);
  Awaitable<void> forward(std::shared_ptr<Line> line, bool there);

  Endpoint behind_;
  std::vector<RelayPlan> plans_;
  asio::io_context io_;
  tcp::acceptor acceptor_;
  std::atomic<std::uint64_t> there_{0};
  std::atomic<std::uint64_t> back_{0};
  std::atomic<std::size_t> connections_{0};
  std::jthread thread_;
};

}  // namespace dipaco::testing

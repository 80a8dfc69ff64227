#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "backends/gloo/links/asio.hpp"
#include "backends/gloo/meeting/endpoint.hpp"
#include "backends/gloo/status/status.hpp"
#include "core/base/units.hpp"

namespace dipaco {

struct MetricsLimits {
  Seconds time{5};                 ///< a connection lives so long, whatever it does
  std::size_t connections = 32;    ///< at once; others wait until one of them ends
  std::uint32_t header = 8 << 10;  ///< bytes of a request
};

/// What --metrics serves over HTTP, to whoever reaches its address: `/`, a page for a person, `/metrics` for
/// Prometheus, `/status.json` for other programs, and for the page's charts `/history.json`, `/charts.js` and
/// `/charts.css`. It only reads. It has a thread of its own, and whatever comes over a
/// connection costs that connection alone.
class MetricsServer {
 public:
  /// Listens from here on.
  /// @param status  called on the server's thread, once for each request; where it throws, the answer is 500
  /// @param history  likewise: what /history.json answers (StatusHistory::json). Empty: there is no such file
  /// @param looked   likewise: a person, or a program for one, asks for `/`, /status.json or /history.json
  /// @throws ConfigError where the address cannot be listened on
  MetricsServer(const Endpoint& listen, std::function<Status()> status, const MetricsLimits& limits = {},
                std::function<std::string()> history = {}, std::function<void()> looked = {});
  /// Ends all connections at once, after a call of `status` that is under way.
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  std::uint16_t port() const { return port_; }

 private:
  void listen(const Endpoint& wanted);
  Awaitable<void> accept_all();
  Awaitable<void> serve(std::shared_ptr<tcp::socket> socket);
  /// Reads one request and answers it. Whether nothing else has come or will.
  Awaitable<bool> answer(tcp::socket& socket);

  std::function<Status()> status_;
  std::function<std::string()> history_;
  std::function<void()> looked_;
  MetricsLimits limits_;
  asio::io_context io_;
  tcp::acceptor acceptor_;
  asio::steady_timer room_;  ///< cancelled when a connection has ended
  std::size_t open_ = 0;
  std::uint16_t port_ = 0;
  std::jthread thread_;
};

}  // namespace dipaco

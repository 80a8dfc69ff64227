#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "backends/gloo/status/metrics_server.hpp"
#include "backends/gloo/status/status_history.hpp"

namespace dipaco {

/// Where a process tells how it is from its start to its end, whoever knows it just then: first the program, which
/// prepares the data, then the run. Looks by itself every two seconds, for the history of the charts. From any thread.
class StatusDesk {
 public:
  /// Listens from here on. @throws ConfigError where the address cannot be listened on
  StatusDesk(const Endpoint& listen, std::string run_name, std::vector<Role> roles);

  /// Whether a person, or a program but Prometheus, has asked for something within the last ten seconds.
  bool is_looked_at() const;
  std::uint16_t port() const { return server_.port(); }
  /// The preparation is there.
  void prepares(StageStatus stage);
  /// The run is asked from now on.
  void open(std::function<Status()> run);
  /// The run is asked no more: it goes once this has returned. What it said at last stands.
  void close();

 private:
  Status status();
  void look(const std::stop_token& stop);

  std::mutex mutex_;
  Status last_;
  std::function<Status()> run_;
  StatusHistory history_;
  std::atomic<std::chrono::steady_clock::time_point> looked_at_{};
  MetricsServer server_;  ///< last but one: it asks as long as it is there
  std::jthread looks_;
};

}  // namespace dipaco

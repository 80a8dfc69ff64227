#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backends/gloo/status/metrics_server.hpp"

namespace dipaco {

/// Where a process tells how it is from its start to its end, whoever knows it just then: first the program, which
/// prepares the data, then the run. From any thread.
class StatusDesk {
 public:
  /// Listens from here on. @throws ConfigError where the address cannot be listened on
  StatusDesk(const Endpoint& listen, std::string run_name, std::vector<Role> roles);

  std::uint16_t port() const { return server_.port(); }
  /// The preparation is there.
  void prepares(StageStatus stage);
  /// The run is asked from now on.
  void open(std::function<Status()> run);
  /// The run is asked no more: it goes once this has returned. What it said at last stands.
  void close();

 private:
  Status status();

  std::mutex mutex_;
  Status last_;
  std::function<Status()> run_;
  MetricsServer server_;  ///< last: it asks as long as it is there
};

}  // namespace dipaco

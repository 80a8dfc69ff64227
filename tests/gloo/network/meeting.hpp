#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/gloo/network/network.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {

/// Networks of one run in this process, over loopback addresses: the coordinator's first, then as many others as
/// wanted, with the numbers in which they were made.
class Meeting {
 public:
  explicit Meeting(SessionOptions session = quick(), std::optional<Secret> secret = std::nullopt);

  /// The coordinator's is made with the first. @param change  to the options before it is made
  Network& add(const std::function<void(NetworkOptions&)>& change = {});
  Network& at(std::size_t node) { return *networks_.at(node); }
  /// The node's process has died.
  void kill(std::size_t node) { networks_.at(node).reset(); }
  /// The coordinator's process has died, and another one goes on, at another port.
  Network& restart_coordinator();
  Endpoint coordinator() const { return networks_.front()->endpoint(); }
  std::size_t size() const { return networks_.size(); }

  /// Signs of life in tenths of a second.
  static SessionOptions quick();

 private:
  NetworkOptions options_of(std::size_t node) const;

  SessionOptions session_;
  std::optional<Secret> secret_;
  TemporaryFolder folder_;
  std::unique_ptr<Registry> registry_;
  std::vector<std::unique_ptr<Network>> networks_;
};

}  // namespace dipaco::testing

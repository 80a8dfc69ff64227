#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "backends/gloo/network/admittance.hpp"
#include "backends/gloo/network/attendance.hpp"
#include "backends/gloo/network/links.hpp"

namespace dipaco {

/// Of any node but the coordinator: its link with the coordinator, which it opens, and opens again after a loss. On the
/// links' thread, but for admittance().
class Joining {
 public:
  /// All must outlive this.
  Joining(NetworkShared& shared, Links& links, Attendance& attendance)
      : shared_(shared), links_(links), attendance_(attendance), admittance_(shared.inbox), rejoin_(shared.io) {}

  Awaitable<void> keep_joined();
  /// The link with the coordinator has ended.
  void cut_off();
  /// This node leaves: a link that ends from now on is not opened again.
  void leave() { leaving_ = true; }
  /// Sends it as soon as there is a link, and again over each later one until it is kept.
  void send_report(std::uint64_t number, std::vector<std::byte> bytes);
  void report_kept(const ReportKept& kept);
  /// Whether there is a link, and something on it that is not known to be kept.
  bool reports_under_way() const { return links_.with(kCoordinator) != nullptr && !reports_.empty(); }
  /// From any thread.
  Admittance& admittance() { return admittance_; }
  const Admittance& admittance() const { return admittance_; }

 private:
  Awaitable<void> try_to_join();
  Join request(const Token& link);
  /// @param asked  when the request went, by the machine's steady clock
  void welcomed(const Welcome& welcome, Seconds asked);
  Awaitable<void> until_cut_off();

  NetworkShared& shared_;
  Links& links_;
  Attendance& attendance_;
  Admittance admittance_;
  asio::steady_timer rejoin_;
  std::map<std::uint64_t, std::vector<std::byte>> reports_;  ///< not known to be kept
  bool leaving_ = false;
};

}  // namespace dipaco

#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "backends/gloo/meeting/rendezvous.hpp"
#include "backends/gloo/meeting/rendezvous_board.hpp"
#include "backends/gloo/meeting/rendezvous_entry.hpp"
#include "backends/gloo/meeting/rendezvous_keeper.hpp"

namespace dipaco {

/// A rendezvous on a board. Its thread mends the coordinator's entry, or looks for it while somebody asks.
class PolledRendezvous : public Rendezvous {
 public:
  /// @param name  for the log
  /// @throws BoardError where the board cannot be used now
  PolledRendezvous(std::unique_ptr<Board> board, EntryFormat format, std::string name,
                   const RendezvousOptions& options);
  void publish(const Endpoint& endpoint) override;
  void withdraw() override;
  std::optional<Endpoint> find() override;

 private:
  using Clock = std::chrono::steady_clock;

  void poll(const std::stop_token& stop);
  /// False once it is to end.
  bool wait_for_turn(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  bool asked_lately() const { return Clock::now() - asked_ < idle_; }

  EntryKeeper keeper_;  ///< of the thread alone
  Clock::duration period_;
  Clock::duration idle_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Endpoint> wanted_;
  std::optional<Endpoint> withdrawn_;
  bool new_ = false;  ///< wanted_ is not on the board yet
  std::optional<Endpoint> found_;
  Clock::time_point asked_;

  std::jthread thread_;
};

}  // namespace dipaco

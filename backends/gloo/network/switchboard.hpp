#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backends/gloo/network/admission.hpp"
#include "backends/gloo/network/joining.hpp"
#include "backends/gloo/network/listener.hpp"
#include "backends/gloo/network/outbox.hpp"
#include "backends/gloo/network/turn_taking.hpp"

namespace dipaco {

/// Puts a node's links, and what there is around them, together: hands what comes in to the part whose business it is,
/// and tells each part of links that begin and end. On the links' thread, but for what says otherwise.
class Switchboard {
 public:
  /// Listens from here on; nothing else happens before start(). @param shared  must outlive this
  /// @throws ConfigError where the address cannot be listened on
  explicit Switchboard(NetworkShared& shared);

  const Endpoint& endpoint() const { return listener_.endpoint(); }
  /// Before the links' thread runs.
  void start();
  void send(NodeId to, Message message) { outbox_.send(to, std::move(message)); }
  /// Not of the coordinator's.
  void send_report(std::uint64_t number, std::vector<std::byte> bytes) {
    joining_->send_report(number, std::move(bytes));
  }
  InMotion in_motion() const;
  /// Nothing more will be sent from here.
  void leave();
  /// Coordinator: the run is over.
  void end_run();
  /// All links, at once.
  void end_all() { links_.end_all(); }

  /// Null at the coordinator, which is in. From any thread.
  Admittance* admittance() { return joining_ ? &joining_->admittance() : nullptr; }
  const Admittance* admittance() const { return joining_ ? &joining_->admittance() : nullptr; }
  /// Until the links' thread has looked again, there is something to wait for. From any thread.
  void expect_busy();
  /// Waits, for so long, until there is no link, nothing waits for one, and nobody is owed a word. From any thread.
  void wait_while_busy(Seconds limit);
  /// Waits, for so long, until the coordinator has kept all reports, or there is no link with it. From any thread.
  void wait_for_reports(Seconds limit);

 private:
  Awaitable<void> serve(std::shared_ptr<Connection> connection, Frame frame, std::string source);
  void take(NodeId from, const Frame& frame);
  void begun(NodeId with, Session& session);
  void ended(NodeId with, bool left, const std::string& why);
  void tell_busy();

  NetworkShared& shared_;
  Attendance attendance_;
  Links links_;
  TurnTaking turns_;
  Outbox outbox_;
  std::optional<Joining> joining_;      ///< of all nodes but the coordinator
  std::optional<Admission> admission_;  ///< the coordinator's
  Listener listener_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool busy_ = true;
  bool reports_ = false;
};

}  // namespace dipaco

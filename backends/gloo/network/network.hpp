#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "backends/gloo/network/switchboard.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// This node's links with all others, over TCP: a transport that meets, keeps and loses them. One thread runs the
/// links, the role's thread calls the transport. Whoever knows this node's address but not the run's secret gets no
/// further than a connection.
class Network {
 public:
  /// Listens from here on. REQUIRES that the process ignores SIGPIPE, as run_program does: Gloo writes by writev().
  /// @throws ConfigError where the address cannot be listened on
  explicit Network(NetworkOptions options);
  /// Ends all links at once.
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  const Endpoint& endpoint() const { return switchboard_.endpoint(); }
  /// Waits until the coordinator has let this node in. The coordinator itself is in.
  /// @throws NodeStopped after stop(); RunIsOver; RunError with the status that the refusal is worth
  void join();
  /// This node's transport. REQUIRES: join()
  std::unique_ptr<Transport> transport();
  /// The run's clock. REQUIRES: join()
  Seconds now() const { return shared_.clock.now(); }
  Member self() const;
  /// Whether there has been no link with the coordinator for so long, after there was one.
  bool is_cut_off(Seconds limit) const;
  /// All nodes that ever took part, by their numbers.
  std::vector<Member> members() const { return shared_.members.all(); }
  /// What is known here of the run's nodes.
  const MemberList& known() const { return shared_.members; }
  /// What is on its way to and from this node. Nothing where the links' thread does not answer within a second.
  InMotion in_motion() const;
  /// Streams of this node's links that stood still or broke.
  std::vector<StalledStream> stalled() const { return shared_.stalls.all(); }
  /// To the coordinator, as soon as there is a link with it, and again until it has said that it is kept. Not of the
  /// coordinator's own. @param number  higher than those before
  void send_report(std::uint64_t number, std::vector<std::byte> bytes);
  /// Waits, for so long, until the coordinator has said that all are kept, or there is no link with it.
  void wait_for_reports(Seconds limit) { switchboard_.wait_for_reports(limit); }
  /// Whoever waits in join() gets NodeStopped; behind it, what comes next is a Notice. From any thread.
  void notice();
  /// Whoever waits in join() or receive() gets NodeStopped. From any thread.
  void stop() { shared_.inbox.stop(); }
  /// Tells all peers that nothing more will come from here, and waits until they have got everything, for so long.
  void leave(Seconds limit);
  /// Coordinator, at the run's end: waits, for so long, until all nodes that are up have left, and executors, stores
  /// and whoever was lost lately have come back and heard of it. Who had no word of its role's gets RunIsOver.
  void finish(Seconds limit);

 private:
  friend class GlooTransport;
  /// The coordinator is in from the start, and knows what its registry does.
  void coordinate();

  NetworkShared shared_;
  Switchboard switchboard_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::jthread thread_;
};

}  // namespace dipaco

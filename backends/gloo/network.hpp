#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "backends/gloo/endpoint.hpp"
#include "backends/gloo/inbox.hpp"
#include "backends/gloo/registry.hpp"
#include "backends/gloo/session.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

struct NetworkOptions {
  std::optional<Secret> secret{};
  bool insecure = false;            ///< without a secret it listens on other addresses than loopback, too
  Endpoint listen{"127.0.0.1", 0};  ///< port 0: the first of `ports` that is free
  PortRange ports{};
  std::string reached_at{};  ///< where the others find it; "": where it listens
  SessionOptions session{};
  Member self{};      ///< role, incarnation, site_name, machine
  Token key{};        ///< of this node's state
  std::string run{};  ///< whose state it is; "": nobody's yet
  std::string version{};
  std::string config_hash{};
  /// Where the coordinator is, as far as this is known now. Not of the coordinator's own. On the links' thread.
  std::function<std::optional<Endpoint>()> find_coordinator{};
  Registry* registry = nullptr;  ///< of the coordinator; null: this is another node
  /// Coordinator: keeps a report of another node, which may come more than once. @returns its number. On the links'
  /// thread
  std::function<std::uint64_t(NodeId, std::span<const std::byte>)> report{};
  std::function<void(const std::string&)> note{};  ///< for the log, on the links' thread
};

/// This node's links with all others, over TCP: a transport that meets, keeps and loses them. One thread runs the
/// links, the role's thread calls the transport. Whoever knows this node's address but not the run's secret gets no
/// further than a connection.
class Network {
 public:
  /// Listens from here on. REQUIRES that the process ignores SIGPIPE, as run_program does: Gloo writes by writev().
  /// @throws ConfigError where the address cannot be listened on; where others could connect to it, without a secret
  explicit Network(NetworkOptions options);
  /// Ends all links at once.
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  const Endpoint& endpoint() const { return endpoint_; }
  /// Waits until the coordinator has let this node in. The coordinator itself is in.
  /// @throws NodeStopped after stop(); RunIsOver; RunError with the status that the refusal is worth
  void join();
  /// This node's transport. REQUIRES: join()
  std::unique_ptr<Transport> transport();
  /// The run's clock. REQUIRES: join()
  Seconds now() const;
  const std::string& run() const { return run_; }
  Member self() const;
  /// The site of a node; this node's own where the other is not known yet.
  SiteId site_of(NodeId node) const;
  /// Whether there has been no link with the coordinator for so long, after there was one.
  bool is_cut_off(Seconds limit) const;
  /// All nodes that ever took part, by their numbers.
  std::vector<Member> members() const;
  /// To the coordinator, as soon as there is a link with it, and again until it has said that it is kept. Not of the
  /// coordinator's own. @param number  higher than those before
  void send_report(std::uint64_t number, std::vector<std::byte> bytes);
  /// Whoever waits in join() gets NodeStopped; behind it, what comes next is a Notice. From any thread.
  void notice();
  /// Whoever waits in join() or receive() gets NodeStopped. From any thread.
  void stop() { inbox_.stop(); }
  /// Tells all peers that nothing more will come from here, and waits until they have got everything, for so long.
  void leave(Seconds limit);
  /// Coordinator, at the run's end: waits, for so long, until all nodes that are up have left, and executors, stores
  /// and whoever was lost lately have come back and heard of it. Who had no word of its role's gets RunIsOver.
  void finish(Seconds limit);

 private:
  friend class GlooTransport;
  /// What is known of the link with one other node, and what waits for it.
  struct Peer {
    std::shared_ptr<Session> session;
    std::vector<Message> waiting;
    Token last_link;  ///< that has ended
    bool opening = false;
    std::uint64_t patience = 0;  ///< counts the times at which something began to wait
  };

  // network.cpp: all that comes in
  void listen();
  void refuse_open(const tcp::endpoint& address) const;
  /// Whether nobody else listens there.
  bool try_to_listen(const tcp::endpoint& address);
  Awaitable<void> accept_all();
  Awaitable<void> serve(std::shared_ptr<tcp::socket> socket);
  void serve_link(std::shared_ptr<Connection> connection, const OpenLink& asked);
  Awaitable<void> serve_stream(std::shared_ptr<Connection> connection, OpenStream asked);
  void take_frame(NodeId from, Frame frame);
  void note(const std::string& text) const;
  void note_stranger(const std::string& text);

  // peers.cpp: links
  void send(NodeId to, Message message);
  void wait_for(NodeId to);
  Awaitable<void> open(NodeId to);
  Endpoint way_to(NodeId to) const;
  Awaitable<std::optional<std::shared_ptr<Connection>>> try_to_open(NodeId to, Token link);
  Awaitable<void> open_streams(NodeId to, std::uint32_t streams);
  /// @param answer  what the other side waits for: goes before all else
  std::shared_ptr<Session> install(LinkName name, std::shared_ptr<Connection> connection,
                                   std::optional<Frame> answer = std::nullopt);
  /// Of an earlier link with this node, if there is one.
  void end_link(NodeId to);
  void ended(NodeId peer, const Token& link, const std::string& why);
  void give_up_waiting(NodeId to);
  void tell_busy();
  void wait_while_busy(Seconds limit);

  // membership.cpp: who takes part
  Awaitable<void> keep_joined();
  Awaitable<void> try_to_join();
  /// This node cannot take part, or not any more.
  void give_up(const std::exception_ptr& why);
  /// @param asked  when, by the machine's steady clock
  void welcomed(const Welcome& welcome, Seconds asked);
  void serve_join(std::shared_ptr<Connection> connection, Join asked);
  std::optional<Refused> refusal(const Join& asked, const std::string& from) const;
  void know(const Member& member);
  void note_gone(NodeId node, const std::string& how);
  void tell_all(const Member& member);
  void begin_end();
  /// Coordinator: who has not heard that the run is over, and keeps a part of what it came to until then.
  std::vector<NodeId> owed() const;
  std::string describe(NodeId node) const;

  NetworkOptions options_;
  asio::io_context io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  tcp::acceptor acceptor_;
  asio::steady_timer rejoin_;
  std::shared_ptr<gloo::transport::Device> device_;
  Endpoint endpoint_;
  Inbox inbox_;
  std::string run_;

  // Of the links' thread alone.
  std::map<NodeId, Peer> peers_;
  std::shared_ptr<SpareArrays> spare_arrays_;
  std::map<std::uint64_t, std::shared_ptr<tcp::socket>> strangers_;  ///< have not said yet what they are, in order
  std::uint64_t connections_ = 0;
  std::uint64_t unnoted_ = 0;  ///< connections that came to nothing since that was noted
  Seconds noted_at_{-1};
  std::map<std::uint64_t, std::vector<std::byte>> reports_;  ///< not known to be kept
  std::set<NodeId> noted_gone_;                              ///< since they were last up
  bool leaving_ = false;
  std::optional<Seconds> over_;        ///< coordinator: since when the run is, by the machine's steady clock
  std::set<NodeId> know_end_;          ///< coordinator: who has heard so
  std::map<NodeId, Seconds> lost_at_;  ///< nodes that have gone without a farewell, and have not come back

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::map<NodeId, Member> members_;
  NodeId self_{-1};
  Seconds offset_{};            ///< the run's clock less the machine's steady one
  std::exception_ptr refused_;  ///< why this node cannot join
  bool busy_ = true;            ///< there is a link, or something waits for one
  bool noticed_ = false;
  std::optional<Seconds> cut_off_;  ///< since when there is no link with the coordinator, by the machine's steady clock

  std::jthread thread_;
};

}  // namespace dipaco

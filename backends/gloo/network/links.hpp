#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "backends/gloo/network/network_shared.hpp"
#include "backends/gloo/network/stream_connections.hpp"

namespace dipaco {

/// What the links tell their owner, on the links' thread.
struct LinksHooks {
  std::function<void(NodeId from, Frame)> frame;  ///< that is no message
  /// A link has begun: what waits for this node can go.
  std::function<void(NodeId with, Session& session)> begun;
  /// @param left  the other node has said that nothing more comes; otherwise it is lost
  std::function<void(NodeId with, bool left, const std::string& why)> ended;
  /// Takes a message of the network's own; false: it is the role's.
  std::function<bool(NodeId from, const Message& message)> take;
  std::function<TurnHooks(NodeId with)> turns;
};

/// The links with other nodes that there are now, at most one with each. On the links' thread.
class Links {
 public:
  /// @param shared  must outlive this
  Links(NetworkShared& shared, LinksHooks hooks);

  /// Null: there is none.
  const std::shared_ptr<Session>& with(NodeId node) { return links_[node].session; }
  /// The last link with this node that has ended; "": none.
  const Token& last_with(NodeId node) { return links_[node].last; }
  bool none() const;
  /// What is on its way over all of them.
  InMotion in_motion() const;

  /// In the place of an earlier link with the same node, which ends. The caller starts it.
  /// @param answer  what the other side waits for: goes before all else
  std::shared_ptr<Session> begin(LinkName name, std::shared_ptr<Connection> connection,
                                 std::optional<Frame> answer = std::nullopt);
  /// Ends the link with this node, if there is one.
  void end(NodeId node);
  /// At once, and without a word to anybody.
  void end_all();
  /// A connection from the other node for large messages. @throws LinkError where there is no such link
  Awaitable<void> serve_stream(std::shared_ptr<Connection> connection, OpenStream asked);

  /// To all nodes, but for the one that it is about.
  void tell_all(const Member& member);
  void tell_all(FrameKind kind);
  /// Tells all nodes, those of later links too, that nothing more will come from here.
  void leave();

 private:
  struct Link {
    std::shared_ptr<Session> session;
    Token last;
  };

  SessionHooks hooks_of(const LinkName& name);
  void stalled(NodeId node, const Stall& stall);
  void taken(NodeId from, const Token& link, std::uint64_t size);
  void ended(NodeId node, const Token& link, const std::string& why);

  NetworkShared& shared_;
  LinksHooks hooks_;
  StreamConnections stream_connections_;
  SessionShared in_common_;
  std::map<NodeId, Link> links_;
  bool leaving_ = false;
};

}  // namespace dipaco

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "backends/gloo/network/links.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// Where this node's messages to others go out: over the link with that node, or, as long as there is none, into a
/// queue. It opens the link then, and after the liveness limit takes the other node for lost. On the links' thread.
class Outbox {
 public:
  /// Both must outlive this. @param changed  is called when empty() may have changed
  Outbox(NetworkShared& shared, Links& links, std::function<void()> changed)
      : shared_(shared), links_(links), changed_(std::move(changed)) {}

  void send(NodeId to, Message message);
  /// There is a link with this node now.
  void send_waiting(NodeId to, Session& session);
  /// Nothing waits for a link.
  bool empty() const;
  /// A connection by which another node opens a link. @throws LinkError where there is one, or will be
  void serve_link(std::shared_ptr<Connection> connection, const OpenLink& asked);

 private:
  struct Queue {
    std::vector<Message> messages;
    bool opening = false;        ///< a link
    std::uint64_t patience = 0;  ///< counts the times at which something began to wait
  };

  void wait_for(NodeId to);
  void give_up_waiting(NodeId to);
  Awaitable<void> open(NodeId to);
  Awaitable<std::optional<std::shared_ptr<Connection>>> try_to_open(NodeId to, Token link);

  NetworkShared& shared_;
  Links& links_;
  std::function<void()> changed_;
  std::map<NodeId, Queue> queues_;
};

}  // namespace dipaco

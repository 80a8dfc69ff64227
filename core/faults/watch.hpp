#pragma once

#include "core/faults/board.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

/// Follows what one node does by the messages that it sends and gets. One thread.
class Watch {
 public:
  explicit Watch(Role role) : role_(role) {}

  /// What the node is at; `now` is left at 0.
  const Moment& at() const { return at_; }
  /// It got `message`.
  void came(const Message& message);
  /// It is about to send `message`: the moment of that. Then call sent().
  Moment leaves(const Message& message);
  void sent(const Message& message);
  /// It begins to compute.
  void computes();
  /// It writes `key` to its storage: the moment of that.
  Moment writes(const std::string& key) const;

 private:
  bool is_same_task(const Message& message) const;

  Role role_;
  Moment at_;
};

}  // namespace dipaco

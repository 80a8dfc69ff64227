#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "core/transport/transport.hpp"

namespace dipaco::testing {

/// A transport on which nothing comes, and which keeps what is sent.
class KeptMessages : public Transport {
 public:
  /// The messages of one kind that were sent since the last call, with whom they went to; others are forgotten.
  template <class M>
  std::vector<std::pair<NodeId, M>> take() {
    std::vector<std::pair<NodeId, M>> found;
    for (const auto& [to, body] : std::exchange(sent_, {})) {
      if (const auto* one = std::get_if<M>(&body)) found.emplace_back(to, *one);
    }
    return found;
  }
  bool empty() const { return sent_.empty(); }

  NodeId self() const override { return NodeId{5}; }
  std::int32_t incarnation() const override { return 0; }
  void send(NodeId to, Message message) override { sent_.emplace_back(to, std::move(message.body)); }
  std::optional<Incoming> receive(Seconds /*timeout*/) override { return std::nullopt; }

 private:
  std::vector<std::pair<NodeId, Body>> sent_;
};

}  // namespace dipaco::testing

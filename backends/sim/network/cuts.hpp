#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/ids.hpp"

namespace dipaco {

/// Where nothing gets through, on purpose. A node always reaches itself.
class Cuts {
 public:
  enum class Id : std::uint64_t {};

  /// From now on nothing gets through between `node` and `peer`, or between `node` and everyone.
  Id begin(NodeId node, std::optional<NodeId> peer);
  void end(Id cut);
  /// Some cut lies between the two.
  bool between(NodeId one, NodeId other) const;
  /// This cut lies between the two, and has not ended.
  bool between(NodeId one, NodeId other, Id cut) const;

 private:
  struct Cut {
    Id id{};
    NodeId node{};
    std::optional<NodeId> peer;
    bool covers(NodeId one, NodeId other) const;
  };

  std::vector<Cut> cuts_;
  std::uint64_t begun_ = 0;
};

}  // namespace dipaco

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/ids.hpp"

namespace dipaco {

/// Which lines between nodes are cut. Pure logic: it is told when a cut has lasted for the liveness limit and when it
/// is over.
class LoopbackCuts {
 public:
  enum class Line : std::uint8_t { open, held, lost };

  /// Cuts the lines between the node and `peer`, or everyone: what is sent on them is held. @returns the cut's number
  std::uint64_t add(NodeId node, std::optional<NodeId> peer);
  /// What is held by the cut, and sent on its lines from now on, is lost. REQUIRES that it is not mended.
  void lose(std::uint64_t number) { find(number).lost = true; }
  void mend(std::uint64_t number);
  /// Whether it cuts the line between the two, in either direction. REQUIRES that it is not mended.
  bool covers(std::uint64_t number, NodeId a, NodeId b) const;
  /// What happens to a message. Where several cuts cover its line, one that loses it is enough.
  Line line(NodeId from, NodeId to) const;

 private:
  struct Cut {
    NodeId node{};
    std::optional<NodeId> peer;
    std::uint64_t number = 0;
    bool lost = false;  ///< it has lasted for the limit
    bool covers(NodeId from, NodeId to) const;
  };
  Cut& find(std::uint64_t number);

  std::vector<Cut> cuts_;
  std::uint64_t last_ = 0;  ///< number that was given
};

}  // namespace dipaco

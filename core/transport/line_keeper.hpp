#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/transport/line_messages.hpp"
#include "core/transport/line_width.hpp"

namespace dipaco {

/// Who sends to whom.
struct NodePair {
  NodeId from{};
  NodeId to{};
  friend constexpr auto operator<=>(const NodePair&, const NodePair&) = default;
};

/// From site to site, in this direction.
struct Line {
  SiteId from{};
  SiteId to{};
  friend constexpr auto operator<=>(const Line&, const Line&) = default;
};

/// Whose turn it is on each line: of the messages that nodes of a site want to send to nodes of another, the most
/// urgent first, of those the oldest. The coordinator's transport has one. It knows only of messages that asked, and
/// may forget all at any time: nodes whose question is lost send without an answer.
class LineKeeper {
 public:
  /// A pair asks again only after its turn is over. @returns whose turn it is from now on, of whatever pair
  std::vector<NodePair> ask(NodePair pair, Line line, const AskForTurn& message, Seconds now);
  /// @param arrived  the message has: how fast the line is shows by that
  std::vector<NodePair> over(NodePair pair, bool arrived, Seconds now);
  /// The node sends nothing any more.
  std::vector<NodePair> lost(NodeId node, Seconds now);
  /// Who has asked, and to whom: their messages move, if only by what goes before them.
  std::vector<NodeId> concerned() const;

 private:
  struct Waiting {
    Urgency urgency;
    std::uint64_t age = 0;
    NodePair pair;
    friend constexpr auto operator<=>(const Waiting&, const Waiting&) = default;
  };
  struct Queue {
    std::set<Waiting> waiting;
    std::size_t going = 0;
    LineWidth width;
  };
  struct Asked {
    Line line;
    Waiting waiting;
    Bytes size;
    bool going = false;
  };

  std::vector<NodePair> go_on(Queue& queue);

  std::map<Line, Queue> lines_;
  std::map<NodePair, Asked> asked_;
  std::uint64_t ages_ = 0;
};

}  // namespace dipaco

#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/transport/movement_messages.hpp"

namespace dipaco {

/// The same transfer in an earlier answer; null where it was not under way then.
const UnderWay* earlier(const UnderWay& transfer, const Movement& before);

/// What nodes have answered that were asked how far they are. Pure logic.
class Inquiries {
 public:
  struct Answers {
    bool open = false;  ///< asked, and silent since: it computes, or hangs
    bool moved = true;  ///< the newest answer differs from the one before, or there is none before
    Seconds since{};    ///< when the newest answer came
    int number = 0;     ///< of answers
    Movement newest{};
    Movement before{};  ///< the answer that came at `before_at`
    Seconds before_at{};
    // What its site's cache had answered last when the node was asked, and when it was asked the time before.
    std::optional<Movement> cache{};
    std::optional<Movement> cache_before{};
  };

  void asked(NodeId node) { all_[node].open = true; }
  /// `worker` was asked, and its site's cache with it, which others ask, too.
  void asked_with(NodeId worker, NodeId cache);
  /// Of several answers to what was asked while it computed, all but the first say nothing new.
  void answered(NodeId node, Movement answer, Seconds now);
  /// It is given something else, or is lost: what it has answered says nothing any more.
  void forget(NodeId node) { all_.erase(node); }

  /// Whether it was asked, and has not answered since.
  bool is_silent(NodeId node) const;
  /// Whether more time may help: what was asked is answered, and something has moved since the answer before.
  bool hopeful(NodeId node) const;
  /// Whether the worker has answered, and its site's cache something else than it had two questions to the worker ago:
  /// between the last one and the one before others may have asked, too, just before it.
  bool cache_moved(NodeId worker, NodeId cache) const;
  /// Null where it was not asked.
  const Answers* find(NodeId node) const;
  /// Whether a transfer lasts at any node, and has moved, between its two newest answers, both of after `since`.
  bool any_creeps(Seconds since) const;

 private:
  std::map<NodeId, Answers> all_;
};

// For a person.
/// The transfer that a node waits for in all likelihood; null: it was not asked, or nothing is under way there.
/// @param answers  of find()
const UnderWay* largest(const Inquiries::Answers* answers);
/// " at 3 MB/s", as far as two answers of the node tell.
std::string rate(const UnderWay& transfer, const Inquiries::Answers& answers);

}  // namespace dipaco

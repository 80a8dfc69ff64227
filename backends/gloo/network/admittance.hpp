#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>

#include "backends/gloo/links/inbox.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// Whether the coordinator has let this node in, and since when there is no link with it. From any thread.
class Admittance {
 public:
  /// @param inbox  of this node, must outlive this: a refusal goes there, too
  explicit Admittance(Inbox& inbox) : inbox_(inbox) {}

  /// Returns once the node is in.
  /// @throws NodeStopped after leave() or the inbox's stop(); what refuse() was given
  void wait();
  /// There is a link with the coordinator.
  void let_in();
  /// There is none any more.
  void cut_off();
  /// This node cannot take part, or not any more.
  void refuse(const std::exception_ptr& why);
  /// This node is to leave: it does not wait to be let in.
  void leave();
  /// Whether there has been no link for longer than `limit`, after there was one.
  bool is_cut_off(Seconds limit) const;

 private:
  Inbox& inbox_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool in_ = false;
  bool leaving_ = false;
  std::exception_ptr refused_;
  std::optional<Seconds> cut_off_;  ///< since then, by the machine's steady clock
};

}  // namespace dipaco

#pragma once

#include <functional>
#include <utility>
#include <variant>

#include "core/transport/transport.hpp"

namespace dipaco {

/// Whether a node should stop computing for the message: the task at hand counts no more, or the run is over.
inline bool is_urgent(const Message& message) {
  const auto* const task = std::get_if<Task>(&message.body);
  return (task != nullptr && task->again && task->to_stores.empty()) || std::holds_alternative<Goodbye>(message.body);
}

/// Tells a node's Compute whether urgent messages wait in its inbox. The inbox says what comes and goes, under its own
/// lock where it has one.
class UrgentMail {
 public:
  /// @param tell  called whenever it changes whether any waits
  void told_to(std::function<void(bool)> tell) { tell_ = std::move(tell); }
  void came(const Incoming& incoming) {
    if (is_urgent(incoming) && ++waiting_ == 1 && tell_) tell_(true);
  }
  void taken(const Incoming& incoming) {
    if (is_urgent(incoming) && --waiting_ == 0 && tell_) tell_(false);
  }
  /// The inbox is empty, and another incarnation's.
  void begin_anew() {
    waiting_ = 0;
    tell_ = nullptr;
  }

 private:
  static bool is_urgent(const Incoming& incoming) {
    const auto* const envelope = std::get_if<Envelope>(&incoming);
    return envelope != nullptr && dipaco::is_urgent(envelope->message);
  }

  int waiting_ = 0;
  std::function<void(bool)> tell_;
};

}  // namespace dipaco

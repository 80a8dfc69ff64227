#pragma once

#include <compare>
#include <cstdint>
#include <optional>

namespace dipaco {

struct Message;

/// When what a large message carries is needed: at which outer step, and there before or after what else. Of two the
/// lesser goes first. Every outer step comes, so nothing waits for ever.
struct Urgency {
  enum class Use : std::uint8_t {
    begin_task,     ///< a module that a task begins with
    end_task,       ///< what an outer step waits for: a new path state, an outer gradient, a copy of a version
    restore_state,  ///< a path state that a task begins with: four times as large, in the way of all others
    evaluate,
  };
  std::int32_t outer_step = 0;
  Use use{};
  friend constexpr auto operator<=>(const Urgency&, const Urgency&) = default;
  template <class A>
  void fields(A& a) {
    a(outer_step, use);
  }
};

/// How urgent the message is, in rounds. Under other policies paths and modules share no outer step, and transports
/// take all messages as alike.
/// nullopt: it takes no turn (core/transport/line_turns.hpp), as one by which a link is measured.
std::optional<Urgency> urgency_of(const Message& message);

}  // namespace dipaco

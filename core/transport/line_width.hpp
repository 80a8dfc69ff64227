#pragma once

#include <cstddef>
#include <optional>

#include "core/base/units.hpp"

namespace dipaco {

/// How many large messages at a time fill a line. One at first: of messages that share a line all arrive late
/// (docs/decisions/0038). More where more arrives by that, as where each sender's own adapter is slower than the line,
/// or the line stands idle for long while the word that one has arrived is on its way: a wider line is tried from time
/// to time, after twice as many messages each time that it gained nothing.
class LineWidth {
 public:
  std::size_t at_once() const { return width_; }
  /// A message that had its turn has arrived.
  /// @param others_wait  for theirs, so that the line was as full as its width allows
  void arrived(Bytes size, Seconds now, bool others_wait);

 private:
  static constexpr std::size_t kLeast = 1;
  /// Messages of a look, in widths.
  static constexpr std::size_t kLook = 3;
  /// A line of two and more has to let so many times as much arrive with others: what is less may be chance.
  static constexpr double kGain = 1.25;
  /// A narrower one may let so many times less. With one at a time that is what the line may stand idle.
  static constexpr double kLoss = 1.05;
  static constexpr std::size_t kLongestPause = 64;  ///< looks between two trials

  void look(double rate);
  void try_width(std::size_t width);
  void begin_look();

  std::size_t settled_ = kLeast;
  std::size_t width_ = kLeast;  ///< another than `settled_` during a trial
  double settled_rate_ = 0;     ///< bytes a second
  std::size_t pause_ = 2;       ///< looks until the next trial
  std::size_t looks_ = 0;       ///< since the last
  bool narrower_ = false;       ///< the next trial's width

  std::size_t to_pass_ = kLeast;  ///< messages that went before the width was this
  std::optional<Seconds> since_;  ///< when the look began
  std::size_t count_ = 0;
  Bytes bytes_;
};

}  // namespace dipaco

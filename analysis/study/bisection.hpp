#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace dipaco::analysis {

/// Looks for the first of some values from which on a condition holds, trying as few as it can. It does not trust that
/// the condition is monotonic: five values apart are tried first, and who asks learns which contradict.
class Bisection {
 public:
  /// REQUIRES a value
  explicit Bisection(std::size_t values) : values_(values) {}

  /// What to try next, at most `at_once` values, ascending; empty: the answer is known.
  std::vector<std::size_t> next(std::size_t at_once) const;
  void tried(std::size_t value, bool holds) { tried_[value] = holds; }

  /// The first value such that the condition holds there and at each tried value behind it; nullopt: not at the last
  /// one. REQUIRES that nothing is left to try
  std::optional<std::size_t> answer() const;
  /// Tried values before the answer at which the condition holds, too: then it is not monotonic.
  std::vector<std::size_t> contradicting() const;

 private:
  std::optional<std::size_t> last_failing() const;

  std::size_t values_;
  std::map<std::size_t, bool> tried_;
};

}  // namespace dipaco::analysis

#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace dipaco::testing {

/// What a growth is made of.
enum class Measure {
  instructions,
  /// Of processor time, where instructions cannot be counted. An instruction takes longer once a program has outgrown
  /// the processor's cache. How much longer, the bare program tells: its time for one message of the size is the unit.
  /// Since the two outgrow it at different sizes, the mean of all doublings counts.
  seconds,
};

/// How much more a program takes each time its size is doubled, beyond what a bare one takes for the same.
class Growth {
 public:
  /// @param sizes  how many sizes there are, each twice the one before
  Growth(std::size_t sizes, Measure measure) : measure_(measure), ours_(sizes, kUnknown), bare_(sizes, kUnknown) {}

  /// One run of each program: the least of all its runs counts, since whatever disturbs a run makes it longer.
  void add(std::size_t size, double ours, double bare);

  /// What `size` takes beyond the bare program: the difference of instructions; of seconds in the bare program's for
  /// the first size, if it took as long for a message as for one of `size`.
  double own(std::size_t size) const;
  /// own(k + 1) / own(k): the largest, of seconds the geometric mean. Infinite where something is not above the bare
  /// program: then it is not known.
  double each_doubling() const;
  /// All of it in words.
  std::string text() const;

 private:
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();

  Measure measure_;
  std::vector<double> ours_;  ///< [sizes] the least
  std::vector<double> bare_;
};

}  // namespace dipaco::testing

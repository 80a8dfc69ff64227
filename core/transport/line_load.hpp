#pragma once

#include "core/base/units.hpp"

namespace dipaco {

/// For how much of its time a node has had large messages to another site on their way, or waiting to go there, of
/// late.
class LineLoad {
 public:
  /// @param since  its time begins
  explicit LineLoad(Seconds since) : counted_to_(since) {}

  /// One more is to go. Not before what was said last.
  void begins(Seconds now);
  /// One has arrived, or will not.
  void ends(Seconds now);
  /// That is more than a tenth of it. By less, whatever order they go in, nobody is held up by more.
  bool heavy(Seconds now) const;

 private:
  int messages_ = 0;
  Seconds busy_since_{};
  Seconds counted_to_;
  Seconds busy_{};   ///< as far as counted: what is older counts less
  Seconds total_{};  ///< the same
};

}  // namespace dipaco

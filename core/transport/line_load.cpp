#include "core/transport/line_load.hpp"

namespace dipaco {
namespace {

constexpr double kHeavy = 0.1;
/// What was counted before counts so much less with each busy time: the last eight or so count.
constexpr double kFading = 7.0 / 8;

}  // namespace

void LineLoad::begins(Seconds now) {
  if (messages_++ == 0) busy_since_ = now;
}

void LineLoad::ends(Seconds now) {
  if (--messages_ > 0) return;
  busy_ = kFading * busy_ + (now - busy_since_);
  total_ = kFading * total_ + (now - counted_to_);
  counted_to_ = now;
}

bool LineLoad::heavy(Seconds now) const {
  const Seconds busy = busy_ + (messages_ > 0 ? now - busy_since_ : Seconds(0));
  return busy > kHeavy * (total_ + (now - counted_to_));
}

}  // namespace dipaco

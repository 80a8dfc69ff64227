#include "core/transport/line_width.hpp"

#include <algorithm>

namespace dipaco {
namespace {

/// By half at least: what less would gain does not show.
std::size_t wider(std::size_t width) { return width + (width + 1) / 2; }
std::size_t narrower(std::size_t width) { return width - std::max<std::size_t>(width / 3, 1); }

}  // namespace

void LineWidth::arrived(Bytes size, Seconds now, bool others_wait) {
  if (!others_wait) return begin_look();
  if (to_pass_ > 0) {
    --to_pass_;
  } else {
    bytes_ += size;
    ++count_;
  }
  if (to_pass_ == 0 && !since_) since_ = now;
  if (count_ < kLook * width_ || now <= *since_) return;
  const double rate = static_cast<double>(bytes_.value) / (now - *since_).count();
  begin_look();
  look(rate);
}

void LineWidth::begin_look() {
  to_pass_ = width_;
  since_.reset();
  count_ = 0;
  bytes_ = {};
}

void LineWidth::look(double rate) {
  if (width_ == settled_) {
    settled_rate_ = rate;
    if (++looks_ >= pause_) try_width(narrower_ ? narrower(settled_) : wider(settled_));
    return;
  }
  const double gain = settled_ == kLeast ? kLoss : kGain;
  const bool kept = narrower_ ? rate * kLoss > settled_rate_ : rate > gain * settled_rate_;
  if (kept) {
    settled_ = width_;
    settled_rate_ = rate;
    pause_ = 1;
  } else {
    narrower_ = !narrower_;
    pause_ = std::min(2 * pause_, kLongestPause);
  }
  narrower_ = narrower_ && settled_ > kLeast;
  try_width(settled_);
}

void LineWidth::try_width(std::size_t width) {
  width_ = width;
  looks_ = 0;
  begin_look();
}

}  // namespace dipaco

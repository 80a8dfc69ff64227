#include "core/roles/put_times.hpp"

#include <algorithm>
#include <cstddef>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

/// So many puts: one that a fault made slow is forgotten after as many more.
constexpr std::size_t kPutsRemembered = 9;

}  // namespace

void PutTimes::add(Bytes size, Seconds took) {
  check(size.value > 0, "a state has bytes");
  seconds_a_byte_.push_back(took.count() / static_cast<double>(size.value));
  if (seconds_a_byte_.size() > kPutsRemembered) seconds_a_byte_.pop_front();
}

std::optional<PutTimes::Range> PutTimes::of(Bytes size) const {
  if (seconds_a_byte_.empty()) return std::nullopt;
  const auto [fastest, slowest] = std::ranges::minmax(seconds_a_byte_);
  const auto bytes = static_cast<double>(size.value);
  return Range{Seconds(bytes * fastest), Seconds(bytes * slowest)};
}

}  // namespace dipaco

#include "core/transport/arrival_times.hpp"

#include <utility>

namespace dipaco {

void ArrivalTimes::note(const Envelope& envelope) {
  if (envelope.took <= Seconds(0)) return;
  Sum& sum = from_[envelope.from];
  sum.took += envelope.took;
  sum.bytes += static_cast<double>(envelope.message.wire_size.value);
}

std::vector<MeasuredWay> ArrivalTimes::take() {
  std::vector<MeasuredWay> ways;
  for (const auto& [from, sum] : std::exchange(from_, {})) ways.push_back({from, sum.took.count() / sum.bytes});
  return ways;
}

}  // namespace dipaco

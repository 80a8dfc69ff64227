#include "backends/sim/timeline/up_times.hpp"

#include <algorithm>

namespace dipaco {

std::vector<UpTime> up_times(const std::vector<AvailabilityStep>& steps, std::int64_t machine) {
  std::vector<UpTime> times;
  bool up = false;
  for (const AvailabilityStep& step : steps) {
    const bool now_up = step.machines > machine;
    if (now_up && !up) times.push_back({step.time, std::nullopt});
    if (!now_up && up) times.back().until = step.time;
    up = now_up;
  }
  return times;
}

TracedUpTimes::TracedUpTimes(const std::vector<AvailabilityStep>& steps, std::optional<Seconds> period,
                             std::int64_t machine)
    : times_(up_times(steps, machine)) {
  if (!period) return;
  std::vector<AvailabilityStep> round = steps;
  std::erase_if(round, [&](const AvailabilityStep& step) { return step.time >= *period; });
  times_ = up_times(round, machine);
  if (times_.empty()) return;
  const bool always = times_.size() == 1 && times_.front().from == Seconds(0) && !times_.front().until;
  if (always) return;
  period_ = period;
  // One that is there at the end of a period and at the start of the next stays: the two stretches are one.
  if (times_.back().until) return;
  times_.back().until = *period;
  if (times_.front().from > Seconds(0)) return;
  times_.back().until = *period + *times_.front().until;
}

std::optional<UpTime> TracedUpTimes::next() {
  if (!period_) return next_ < times_.size() ? std::optional(times_[next_++]) : std::nullopt;
  const bool joined = times_.back().until > *period_;
  std::size_t place = next_ % times_.size();
  const std::size_t round = next_ / times_.size();
  ++next_;
  if (joined && place == 0 && round > 0) {
    place = next_++ % times_.size();  // the last stretch of the round before has been the first of this one, too
  }
  const Seconds shift = static_cast<double>(round) * *period_;
  return UpTime{times_[place].from + shift, *times_[place].until + shift};
}

UpTime drawn_up_time(const DrawnTimes& times, std::uint64_t seed, std::uint64_t number, Seconds previous_end) {
  const auto draw = [&](const TimeLaw& law, std::uint64_t which) {
    return drawn(law, draw_uniform(seed, times.what, times.number, which));
  };
  const Seconds from = number == 0 ? Seconds(0) : previous_end + draw(times.away, 2 * number - 1);
  return {from, from + draw(times.there, 2 * number)};
}

}  // namespace dipaco

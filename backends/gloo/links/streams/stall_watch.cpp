#include "backends/gloo/links/streams/stall_watch.hpp"

#include <algorithm>
#include <utility>

namespace dipaco {
namespace {

/// So many times as long as it lasted a pause is remembered.
constexpr double kRemembered = 100;
/// A stream stands too long that stands so many times as long as one ever stood and moved again. A connection whose
/// packets are lost waits twice as long before each further try, so the next longest pause is often twice the longest.
constexpr double kLonger = 4;
/// A look that comes later than after so many periods is late because this process was not there.
constexpr double kLate = 2;

}  // namespace

void Pauses::note(Seconds now, Seconds pause) {
  std::erase_if(pauses_, [&](const Pause& other) { return other.until < now; });
  // One that is shorter, and forgotten earlier, will never be the longest.
  while (!pauses_.empty() && pauses_.back().lasted <= pause) pauses_.pop_back();
  pauses_.push_back({pause, now + kRemembered * pause});
}

Seconds Pauses::longest(Seconds now) const {
  const auto found = std::ranges::find_if(pauses_, [&](const Pause& pause) { return pause.until >= now; });
  return found == pauses_.end() ? Seconds(0) : found->lasted;
}

void StallWatch::look(Seconds now, std::uint64_t others, const std::vector<Sight>& sights) {
  now -= away_;
  if (looked_ && now - now_ > kLate * period_) {
    // What came meanwhile may be there, and not be seen yet.
    away_ += now - now_ - period_;
    now = now_ + period_;
  }
  now_ = now;
  looked_ = true;
  streams_.resize(sights.size());
  // A stream is no witness for itself.
  const bool others_came = std::exchange(others_, others) != others;
  std::size_t moved = 0;
  for (std::size_t k = 0; k < sights.size(); ++k) moved += sights[k].moves != streams_[k].seen.moves ? 1 : 0;
  for (std::size_t k = 0; k < sights.size(); ++k) {
    const std::size_t itself = sights[k].moves != streams_[k].seen.moves ? 1 : 0;
    look_at(streams_[k], sights[k], others_came || moved > itself);
  }
}

void StallWatch::look_at(Watched& watched, const Sight& sight, bool others_moved) {
  if (others_moved) watched.others = now_;
  const bool moved = sight.moves != watched.seen.moves;
  if (moved && watched.seen.owed && watched.others > watched.since) {
    pauses_->note(now_ + away_, watched.others - watched.since);
  }
  if (moved || !watched.seen.owed) watched.since = now_;
  watched.seen = sight;
}

void StallWatch::look_again(std::size_t stream, std::uint64_t moves) {
  if (stream >= streams_.size()) return;
  Watched& watched = streams_[stream];
  look_at(watched, {watched.seen.owed, moves}, false);
}

void StallWatch::renewed(std::size_t stream) {
  if (stream < streams_.size()) streams_[stream].since = streams_[stream].others = now_;
}

Seconds StallWatch::stood(std::size_t stream) const {
  if (stream >= streams_.size() || !streams_[stream].seen.owed) return Seconds(0);
  return std::max(Seconds(0), streams_[stream].others - streams_[stream].since);
}

Seconds StallWatch::patience() const { return std::max(limit_, kLonger * pauses_->longest(now_ + away_)); }

}  // namespace dipaco

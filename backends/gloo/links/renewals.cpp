#include "backends/gloo/links/renewals.hpp"

#include <algorithm>
#include <utility>

#include "backends/gloo/links/sealing/handshake.hpp"

namespace dipaco {
namespace {

/// A link ends where a stream has had no connection, or one that stands, for so many times as long as is patient.
constexpr double kGiveUp = 3;

std::string in_tenths(Seconds time) {
  const auto tenths = static_cast<std::int64_t>(time.count() * 10);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

}  // namespace

Renewals::Renewals(StreamSet& streams, RenewalOptions options, RenewalHooks hooks)
    : streams_(streams),
      options_(std::move(options)),
      hooks_(std::move(hooks)),
      watch_(options_.limit, options_.period, options_.pauses) {}

Stream& Renewals::at(std::uint32_t stream) {
  if (!streams_.ready() || stream >= streams_.size()) throw LinkError("it speaks of a stream that is not there");
  states_.resize(streams_.size());
  return streams_.at(stream);
}

std::vector<StallWatch::Sight> Renewals::sights() {
  std::vector<StallWatch::Sight> sights;
  for (std::size_t k = 0; k < streams_.size(); ++k) {
    const Stream& stream = streams_.at(k);
    const auto* const receiver = stream.receiver();
    sights.push_back({.owed = receiver != nullptr && receiver->owed() > 0, .moves = stream.moves()});
  }
  return sights;
}

OthersSeen Renewals::look(Seconds now, std::uint64_t heard) {
  if (!streams_.ready()) return {};
  now_ = now;
  states_.resize(streams_.size());
  const auto seen = sights();
  watch_.look(now, heard, seen);
  std::uint64_t moves = 0;
  for (const auto& sight : seen) moves += sight.moves;
  for (std::uint32_t k = 0; k < states_.size(); ++k) {
    if (streams_.at(k).receiver() != nullptr) look_at(k);
  }
  tell_came();
  return {.moved = std::exchange(moves_, moves) != moves, .patience = watch_.patience()};
}

Seconds Renewals::waits(std::uint32_t stream) const {
  const State& state = states_.at(stream);
  return std::max(watch_.stood(stream), state.broke_at ? now_ - *state.broke_at : Seconds(0));
}

void Renewals::look_at(std::uint32_t stream) {
  State& state = states_[stream];
  if (!state.broken && !watch_.stands(stream)) return;
  if (waits(stream) >= kGiveUp * watch_.patience()) {
    return hooks_.failed("stream " + std::to_string(stream) + " from it has stood for " + in_tenths(waits(stream)) +
                         " and no other connection could be had for it");
  }
  if (state.asked_at && now_ - *state.asked_at < options_.limit) return;
  state.asked_at = now_;
  const RenewStream which{stream};
  options_.initiator ? asked(which) : hooks_.send(FrameKind::renew_stream, encode_payload(which));
}

void Renewals::tell_came() {
  Came came;
  for (std::size_t k = 0; k < streams_.size(); ++k) {
    const auto* const receiver = streams_.at(k).receiver();
    if (receiver == nullptr) continue;
    if (receiver->owed() > 0) return;  // what comes, or is asked for, says the same
    came.chunks.push_back(receiver->came());
  }
  if (came.chunks == told_.chunks) return;
  told_ = came;
  hooks_.send(FrameKind::came, encode_payload(came));
}

void Renewals::came(const Came& came) {
  std::size_t next = 0;
  for (std::size_t k = 0; k < streams_.size(); ++k) {
    auto* const sender = streams_.ready() ? streams_.at(k).sender() : nullptr;
    if (sender == nullptr) continue;
    if (next == came.chunks.size()) break;
    sender->came(came.chunks[next++]);
  }
  if (next == 0 || next != came.chunks.size()) throw LinkError("it speaks of streams that are not there");
}

void Renewals::broke(std::uint32_t stream) {
  if (!streams_.ready()) return hooks_.failed("a stream for large messages broke before all were there");
  at(stream);
  State& state = states_[stream];
  // The next look asks for another: at once would be all the time, where each breaks at once.
  state.broken = true;
  state.broke_at = steady();
}

void Renewals::asked(const RenewStream& which) {
  at(which.stream);
  if (std::exchange(states_[which.stream].connecting, true)) return;
  hooks_.connect(which.stream);
}

void Renewals::not_connected(std::uint32_t stream, const std::string& why) {
  at(stream);
  State& state = states_[stream];
  state.connecting = false;
  if (state.broken) return hooks_.failed("no stream for large messages: " + why);
  state.asked_at.reset();
}

void Renewals::not_needed(std::uint32_t stream) {
  at(stream);
  states_[stream].connecting = false;
  states_[stream].asked_at.reset();
}

std::optional<GoOn> Renewals::cut(std::uint32_t stream) {
  Stream& which = at(stream);
  const auto* const receiver = which.receiver();
  if (receiver == nullptr) throw LinkError("it sends what is to be sent from here");
  State& state = states_[stream];
  if (!state.broken) {
    watch_.look_again(stream, which.moves());
    if (!watch_.stands(stream)) {
      not_needed(stream);
      return std::nullopt;
    }
  }
  const StreamPlace place = which.cut();
  const Seconds stood = waits(stream);
  watch_.renewed(stream);
  return GoOn{.chunks = place.chunks, .bytes = place.bytes, .stood = stood.count(), .broke = state.broken};
}

void Renewals::go_on(std::uint32_t stream, int socket, const GoOn& from) {
  Stream& which = at(stream);
  states_[stream].goes_on = from;
  which.go_on(socket, {from.chunks, from.bytes});
}

void Renewals::went_on(std::uint32_t stream, bool on_the_way) {
  const Stream& which = at(stream);
  State& state = states_[stream];
  const GoOn& from = state.goes_on;
  const auto* const receiver = which.receiver();
  hooks_.stalled({.stream = stream,
                  .receives = receiver != nullptr,
                  .broke = from.broke,
                  .stood = Seconds(from.stood),
                  .chunks = from.chunks,
                  .bytes = from.bytes,
                  .owed = receiver == nullptr ? 0 : receiver->owed(),
                  .on_the_way = on_the_way});
  state = {};
}

}  // namespace dipaco

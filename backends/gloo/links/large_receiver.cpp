#include "backends/gloo/links/large_receiver.hpp"

#include <algorithm>
#include <utility>

#include "backends/gloo/links/sealing/handshake.hpp"

namespace dipaco {
namespace {

/// Chunks that are asked for at once of a stream: it has the next at hand.
constexpr std::size_t kAskedAtOnce = 8;

}  // namespace

void LargeReceiver::taken(std::uint64_t bytes) { waiting_ -= std::min(bytes, waiting_); }

// Both sides put chunks on the streams in turn, message by message in the order of their announcements.
void LargeReceiver::go_on() {
  const std::size_t most = kAskedAtOnce * streams_.size() / 2;
  while (streams_.ready() && chunks_asked_ < most && (asking_ || ask_for_next())) {
    const std::uint64_t number = *asking_;
    Arrival& arrival = receiving_.at(number);
    const std::size_t stream = streams_.next(Stream::Way::receives);
    const auto into = arrival.ask(stream);
    streams_.at(stream).receive(
        {.into = into, .came = hooks_.later([this, number, into] { chunk_came(number, into); })});
    ++chunks_asked_;
    if (arrival.all_asked()) asking_.reset();
  }
}

bool LargeReceiver::ask_for_next() {
  if (announced_.empty() || (!receiving_.empty() && waiting_ >= inbox_)) return false;
  const std::uint64_t number = announced_.front().number;
  const auto [arrival, is_new] =
      receiving_.try_emplace(number, std::move(announced_.front()), streams_.size(), *spare_);
  announced_.pop_front();
  if (!is_new) throw LinkError("a message came twice");
  waiting_ += arrival->second.size();
  asking_ = number;
  return true;
}

void LargeReceiver::tell(NodeId from, std::vector<UnderWay>& under_way) const {
  for (const auto& [number, arrival] : receiving_) {
    const auto kind = arrival.kind();
    if (kind) under_way.push_back({from, true, *kind, Bytes{arrival.size()}, Bytes{arrival.here()}});
  }
}

void LargeReceiver::chunk_came(std::uint64_t number, std::span<const std::byte> chunk) {
  const auto arrival = receiving_.find(number);
  arrival->second.came(chunk, hooks_.now());
  --chunks_asked_;
  go_on();
  if (!arrival->second.whole()) return;
  Received message = arrival->second.take();
  receiving_.erase(arrival);
  hooks_.whole(number, std::move(message));
  go_on();
}

}  // namespace dipaco

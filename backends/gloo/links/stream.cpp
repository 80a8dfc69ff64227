#include "backends/gloo/links/stream.hpp"

#include <gloo/transport/unbound_buffer.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

#include "backends/gloo/links/cipher.hpp"

namespace dipaco {
namespace {

/// Chunks under way at once in one direction: while one is sealed or opened, others travel.
constexpr std::size_t kDepth = 4;

/// Other keys than those of the frames on the same socket, whose numbers begin at 0 too.
SessionKeys chunk_keys(const SessionKeys& keys) {
  const auto derived = [](const std::optional<Key>& key) -> std::optional<Key> {
    constexpr std::string_view kPurpose = "chunks";
    if (!key) return std::nullopt;
    return keyed_hash(*key, std::as_bytes(std::span(kPurpose)));
  };
  return {.sending = derived(keys.sending), .receiving = derived(keys.receiving)};
}

}  // namespace

/// Memory that Gloo sends one chunk from, or receives it into: the sealed chunk; without a key its checksum, and the
/// chunk itself from or to where it lies. A chunk's number gives Gloo's slots, so that it finds its memory whatever
/// else is posted.
class Stream::Slot {
 public:
  Slot(GlooLink& link, bool sealed)
      : link_(link),
        bytes_(kSealOverhead + (sealed ? kChunk : 0)),
        buffer_(link.buffer(bytes_.data(), bytes_.size())) {}

  std::span<std::byte> bytes(std::size_t plain) { return std::span(bytes_).first(plain + kSealOverhead); }
  void send_bytes(std::uint64_t number, std::size_t size) { buffer_->send(GlooLink::kPeer, 2 * number, 0, size); }
  void receive_bytes(std::uint64_t number, std::size_t size) { buffer_->recv(GlooLink::kPeer, 2 * number, 0, size); }
  void send_chunk(std::uint64_t number, std::span<const std::byte> chunk) {
    // Gloo has one type for both directions; it reads here.
    lie_at(const_cast<std::byte*>(chunk.data()), chunk.size());
    chunk_->send(GlooLink::kPeer, 2 * number + 1);
  }
  void receive_chunk(std::uint64_t number, std::span<std::byte> chunk) {
    lie_at(chunk.data(), chunk.size());
    chunk_->recv(GlooLink::kPeer, 2 * number + 1);
  }
  /// False once the wait was ended.
  bool wait_sent() { return (chunk_ == nullptr || chunk_->waitSend()) && buffer_->waitSend(); }
  bool wait_received() { return (chunk_ == nullptr || chunk_->waitRecv()) && buffer_->waitRecv(); }
  /// From any thread, once the link has failed: Gloo tells nobody of a chunk that is half sent or half received.
  void end_wait() {
    const std::lock_guard lock(mutex_);
    for (auto* const buffer : {buffer_.get(), chunk_.get()}) {
      if (buffer == nullptr) continue;
      buffer->abortWaitSend();
      buffer->abortWaitRecv();
    }
  }

 private:
  void lie_at(std::byte* bytes, std::size_t size) {
    auto buffer = link_.buffer(bytes, size);
    const std::lock_guard lock(mutex_);
    chunk_ = std::move(buffer);
  }

  GlooLink& link_;
  std::vector<std::byte> bytes_;
  std::unique_ptr<gloo::transport::UnboundBuffer> buffer_;
  std::mutex mutex_;  ///< of which buffer chunk_ is
  std::unique_ptr<gloo::transport::UnboundBuffer> chunk_;
};

Stream::Slots Stream::make_slots(bool sealed) {
  Slots slots;
  for (std::size_t k = 0; k < kDepth; ++k) slots.push_back(std::make_unique<Slot>(link_, sealed));
  return slots;
}

template <class Bytes>
void Stream::Pieces<Bytes>::put(Piece<Bytes> piece) {
  const std::lock_guard lock(mutex_);
  pieces_.push_back(std::move(piece));
  changed_.notify_one();
}

template <class Bytes>
auto Stream::Pieces<Bytes>::take(bool wait) -> std::optional<Piece<Bytes>> {
  std::unique_lock lock(mutex_);
  if (wait) changed_.wait(lock, [this] { return stopped_ || !pieces_.empty(); });
  if (stopped_ || pieces_.empty()) return std::nullopt;
  Piece<Bytes> piece = std::move(pieces_.front());
  pieces_.pop_front();
  return piece;
}

template <class Bytes>
void Stream::Pieces<Bytes>::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

Stream::Stream(const std::shared_ptr<gloo::transport::Device>& device, int socket, const SessionKeys& keys, Way way,
               Failed failed)
    : keys_(chunk_keys(keys)),
      failed_(std::move(failed)),
      link_(device, socket),
      slots_(make_slots(keys_.sending.has_value())),
      thread_([this, way] { run(way == Way::sends ? &Stream::send_all : &Stream::receive_all); }) {}

Stream::~Stream() { stop(); }

void Stream::send(std::span<const std::byte> chunk, Done done) { to_send_.put({chunk, std::move(done)}); }

void Stream::receive(std::span<std::byte> into, Done done) { to_receive_.put({into, std::move(done)}); }

void Stream::stop() {
  to_send_.stop();
  to_receive_.stop();
  link_.fail("this side has ended the link");
  for (const auto& slot : slots_) slot->end_wait();
}

void Stream::run(void (Stream::*work)()) {
  try {
    (this->*work)();
  } catch (const std::exception& error) {
    failed_(error.what());
  }
}

void Stream::send_all() {
  const bool sealed = keys_.sending.has_value();
  Sealer sealer(keys_.sending);
  std::deque<Done> under_way;  // of the chunks up to `number`
  for (std::uint64_t number = 0;;) {
    auto piece = to_send_.take(under_way.empty());
    if (!piece && under_way.empty()) return;
    if (!piece || under_way.size() == kDepth) {
      if (!slots_[(number - under_way.size()) % kDepth]->wait_sent()) return;
      under_way.front()();
      under_way.pop_front();
    }
    if (!piece) continue;
    Slot& slot = *slots_[number % kDepth];
    const auto bytes = slot.bytes(sealed ? piece->bytes.size() : 0);
    if (sealed) {
      sealer.seal({}, piece->bytes, bytes);
    } else {
      std::ranges::copy(checksum(number, {}, piece->bytes), bytes.begin());
      slot.send_chunk(number, piece->bytes);
    }
    slot.send_bytes(number++, bytes.size());
    under_way.push_back(std::move(piece->done));
  }
}

void Stream::receive_all() {
  const bool sealed = keys_.receiving.has_value();
  Opener opener(keys_.receiving);
  std::deque<Piece<std::span<std::byte>>> under_way;  // of the chunks up to `number`
  for (std::uint64_t number = 0;;) {
    while (under_way.size() < kDepth) {
      auto piece = to_receive_.take(under_way.empty());
      if (!piece && under_way.empty()) return;
      if (!piece) break;
      Slot& slot = *slots_[number % kDepth];
      slot.receive_bytes(number, kSealOverhead + (sealed ? piece->bytes.size() : 0));
      if (!sealed) slot.receive_chunk(number, piece->bytes);
      ++number;
      under_way.push_back(std::move(*piece));
    }
    const std::uint64_t oldest = number - under_way.size();
    Slot& slot = *slots_[oldest % kDepth];
    if (!slot.wait_received()) return;
    const auto into = under_way.front().bytes;
    const bool whole = sealed ? opener.open({}, slot.bytes(into.size()), into)
                              : std::ranges::equal(checksum(oldest, {}, into), slot.bytes(0));
    if (!whole) throw LinkError("a chunk was changed on its way");
    under_way.front().done();
    under_way.pop_front();
  }
}

}  // namespace dipaco

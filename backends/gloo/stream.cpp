#include "backends/gloo/stream.hpp"

#include <gloo/transport/unbound_buffer.h>

#include <array>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

#include "backends/gloo/cipher.hpp"

namespace dipaco {
namespace {

/// Chunks under way at once in one direction: while one is sealed or opened, others travel.
constexpr std::size_t kDepth = 4;

/// Memory for one sealed chunk, which Gloo sends from or receives into.
struct Slot {
  explicit Slot(GlooLink& link) : bytes(kChunk + kSealOverhead), buffer(link.buffer(bytes.data(), bytes.size())) {}
  std::span<std::byte> sealed(std::size_t plain) { return std::span(bytes).first(plain + kSealOverhead); }

  std::vector<std::byte> bytes;
  std::unique_ptr<gloo::transport::UnboundBuffer> buffer;
};

/// Other keys than those of the frames on the same socket, whose numbers begin at 0 too.
SessionKeys chunk_keys(const SessionKeys& keys) {
  const auto derived = [](const std::optional<Key>& key) -> std::optional<Key> {
    constexpr std::string_view kPurpose = "chunks";
    if (!key) return std::nullopt;
    return keyed_hash(*key, std::as_bytes(std::span(kPurpose)));
  };
  return {.sending = derived(keys.sending), .receiving = derived(keys.receiving)};
}

std::vector<std::unique_ptr<Slot>> make_slots(GlooLink& link) {
  std::vector<std::unique_ptr<Slot>> slots;
  for (std::size_t k = 0; k < kDepth; ++k) slots.push_back(std::make_unique<Slot>(link));
  return slots;
}

}  // namespace

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

Stream::Stream(const std::shared_ptr<gloo::transport::Device>& device, int socket, const SessionKeys& keys,
               Failed failed)
    : keys_(chunk_keys(keys)),
      failed_(std::move(failed)),
      link_(device, socket),
      sender_([this] { run(&Stream::send_all); }),
      receiver_([this] { run(&Stream::receive_all); }) {}

Stream::~Stream() { stop(); }

void Stream::send(std::span<const std::byte> chunk, Done done) { to_send_.put({chunk, std::move(done)}); }

void Stream::receive(std::span<std::byte> into, Done done) { to_receive_.put({into, std::move(done)}); }

void Stream::stop() {
  to_send_.stop();
  to_receive_.stop();
  link_.fail("this side has ended the link");
}

void Stream::run(void (Stream::*work)()) {
  try {
    (this->*work)();
  } catch (const std::exception& error) {
    failed_(error.what());
  }
}

// A chunk's number is Gloo's slot, so that a chunk finds its buffer whatever else is posted.
void Stream::send_all() {
  Sealer sealer(keys_.sending);
  const auto slots = make_slots(link_);
  std::deque<Done> under_way;  // of the chunks up to `number`
  const auto finish_oldest = [&](std::uint64_t number) {
    slots[(number - under_way.size()) % kDepth]->buffer->waitSend();
    under_way.front()();
    under_way.pop_front();
  };
  for (std::uint64_t number = 0;;) {
    auto piece = to_send_.take(under_way.empty());
    if (!piece && under_way.empty()) return;
    if (!piece || under_way.size() == kDepth) finish_oldest(number);
    if (!piece) continue;
    Slot& slot = *slots[number % kDepth];
    const auto sealed = slot.sealed(piece->bytes.size());
    sealer.seal({}, piece->bytes, sealed);
    slot.buffer->send(GlooLink::kPeer, number++, 0, sealed.size());
    under_way.push_back(std::move(piece->done));
  }
}

void Stream::receive_all() {
  Opener opener(keys_.receiving);
  const auto slots = make_slots(link_);
  std::deque<Piece<std::span<std::byte>>> under_way;
  for (std::uint64_t number = 0;;) {
    while (under_way.size() < kDepth) {
      auto piece = to_receive_.take(under_way.empty());
      if (!piece && under_way.empty()) return;
      if (!piece) break;
      slots[number % kDepth]->buffer->recv(GlooLink::kPeer, number, 0, piece->bytes.size() + kSealOverhead);
      ++number;
      under_way.push_back(std::move(*piece));
    }
    Slot& slot = *slots[(number - under_way.size()) % kDepth];
    slot.buffer->waitRecv();
    const auto into = under_way.front().bytes;
    if (!opener.open({}, slot.sealed(into.size()), into)) throw LinkError("a chunk was changed on its way");
    under_way.front().done();
    under_way.pop_front();
  }
}

}  // namespace dipaco

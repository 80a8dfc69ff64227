#include "backends/gloo/links/streams/stream.hpp"

#include <exception>
#include <span>
#include <string_view>
#include <utility>

#include "backends/gloo/links/sealing/cipher.hpp"

namespace dipaco {
namespace {

/// Another key than that of the frames on the first of its sockets, whose numbers begin at 0 too.
std::optional<Key> chunk_key(const std::optional<Key>& key) {
  constexpr std::string_view kPurpose = "chunks";
  if (!key) return std::nullopt;
  return keyed_hash(*key, std::as_bytes(std::span(kPurpose)));
}

ChunkSlots make_slots(bool sealed) {
  ChunkSlots slots;
  for (std::size_t k = 0; k < kDepth; ++k) slots.push_back(std::make_unique<ChunkSlot>(sealed));
  return slots;
}

}  // namespace

Stream::Stream(std::shared_ptr<gloo::transport::Device> device, int socket, const SessionKeys& keys, Way way,
               StreamHooks hooks)
    : device_(std::move(device)),
      hooks_(std::move(hooks)),
      slots_(make_slots(keys.sending.has_value())),
      handover_([this] { interrupt(); }) {
  if (way == Way::sends) {
    sender_ = std::make_unique<ChunkSender>(slots_, chunk_key(keys.sending));
  } else {
    receiver_ = std::make_unique<ChunkReceiver>(slots_, chunk_key(keys.receiving));
  }
  use(connect(socket));
  thread_ = std::jthread([this] { run(); });
}

Stream::~Stream() {
  stop();
  if (thread_.joinable()) thread_.join();
}

std::uint64_t Stream::moves() const {
  const std::lock_guard lock(mutex_);
  return moves_before_ + link_->moves();
}

std::uint64_t Stream::writes() const {
  const std::lock_guard lock(mutex_);
  return link_->writes();
}

std::shared_ptr<GlooLink> Stream::connect(int socket) {
  return std::make_shared<GlooLink>(device_, socket, [this](const GlooLink& over) {
    for (const auto& slot : slots_) slot->end_wait(over);
  });
}

void Stream::use(const std::shared_ptr<GlooLink>& link) {
  for (const auto& slot : slots_) slot->use(*link);
  const std::lock_guard lock(mutex_);
  if (link_) moves_before_ += link_->moves();
  link_ = link;
}

void Stream::interrupt() {
  std::unique_lock lock(mutex_);
  const auto link = link_;
  lock.unlock();
  link->fail("this side has ended the connection");
  carrier().wake();
}

void Stream::run() {
  try {
    std::string why;
    do {
      why.clear();
      try {
        carrier().carry(handover_.interrupted());
      } catch (const LinkError&) {
        throw;
      } catch (const std::exception& error) {
        why = error.what();
      }
    } while (renew(why));
  } catch (const std::exception& error) {
    handover_.end();
    hooks_.failed(error.what());
  }
}

bool Stream::renew(const std::string& why) {
  const bool broke = handover_.left(carrier().settle());
  if (broke) hooks_.broke(why);
  const auto next = handover_.take();
  if (!next) return false;
  const auto old = link_;
  const bool on_the_way = sender_ && (sender_->sent_beyond(next->place) || old->writing());
  use(connect(next->socket));
  carrier().go_on(next->place);
  hooks_.went_on(on_the_way);
  return true;
}

}  // namespace dipaco

#include "backends/gloo/links/streams/stream.hpp"

#include <unistd.h>

#include <exception>
#include <string_view>
#include <utility>

#include "backends/gloo/links/cipher.hpp"

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
    : device_(std::move(device)), hooks_(std::move(hooks)), slots_(make_slots(keys.sending.has_value())) {
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
  if (next_) ::close(next_->socket);
}

std::uint64_t Stream::moves() const {
  const std::lock_guard lock(mutex_);
  return moves_before_ + link_->moves();
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

void Stream::interrupt(std::unique_lock<std::mutex> lock) {
  interrupted_ = true;
  const auto link = link_;
  changed_.notify_all();
  lock.unlock();
  link->fail("this side has ended the connection");
  carrier().wake();
}

StreamPlace Stream::cut() {
  std::unique_lock lock(mutex_);
  if (!waits_at_) {
    interrupt(std::move(lock));
    lock = std::unique_lock(mutex_);
  }
  changed_.wait(lock, [this] { return waits_at_ || stopped_; });
  return waits_at_.value_or(StreamPlace{});
}

void Stream::go_on(int socket, const StreamPlace& place) {
  std::unique_lock lock(mutex_);
  if (next_) ::close(next_->socket);
  next_ = Next{socket, place};
  if (waits_at_) {
    changed_.notify_all();
  } else {
    interrupt(std::move(lock));
  }
}

void Stream::stop() {
  std::unique_lock lock(mutex_);
  stopped_ = true;
  interrupt(std::move(lock));
}

void Stream::run() {
  try {
    std::string why;
    do {
      why.clear();
      try {
        carrier().carry(interrupted_);
      } catch (const LinkError&) {
        throw;
      } catch (const std::exception& error) {
        why = error.what();
      }
    } while (renew(why));
  } catch (const std::exception& error) {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
      changed_.notify_all();
    }
    hooks_.failed(error.what());
  }
}

bool Stream::renew(const std::string& why) {
  const StreamPlace place = carrier().settle();
  std::unique_lock lock(mutex_);
  waits_at_ = place;
  const bool broke = !interrupted_;
  changed_.notify_all();
  lock.unlock();
  if (broke) hooks_.broke(why);
  lock.lock();
  changed_.wait(lock, [this] { return stopped_ || next_; });
  if (stopped_) return false;
  const Next next = *std::exchange(next_, std::nullopt);
  interrupted_ = false;
  waits_at_.reset();
  const auto old = link_;
  lock.unlock();
  const bool on_the_way = sender_ && (sender_->sent_beyond(next.place) || old->writing());
  use(connect(next.socket));
  carrier().go_on(next.place);
  hooks_.went_on(on_the_way);
  return true;
}

}  // namespace dipaco

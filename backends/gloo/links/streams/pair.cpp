#include "backends/gloo/links/streams/pair.hpp"

#include <gloo/transport/tcp/context.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/tcp/pair.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

namespace dipaco {
namespace {

namespace gt = gloo::transport;

/// Liveness is somebody else's. Gloo takes a limit of 0 for none in some places and for no wait at all in others.
constexpr std::chrono::milliseconds kNoLimit = std::chrono::hours(24 * 365);

/// A pair on a given socket.
class AdoptedPair : public gt::tcp::Pair {
 public:
  AdoptedPair(gt::tcp::Context* context, gt::tcp::Device* device, int socket, std::function<void()> closed)
      : Pair(context, device, GlooLink::kPeer, kNoLimit), closed_(std::move(closed)) {
    const std::lock_guard lock(m_);
    // The base class has just begun to listen, on an address of this machine alone. Nobody is to come.
    if (state_ != LISTENING) {
      ::close(socket);
      throw std::runtime_error("a stranger came upon Gloo's port");
    }
    device_->unregisterDescriptor(fd_, this);
    ::close(fd_);
    fd_ = socket;
    take_over();
  }

  void fail(const std::string& why) {
    const std::lock_guard lock(m_);
    if (state_ != CLOSED) signalException(why);
  }

  std::uint64_t moves() const { return moves_; }
  std::uint64_t writes() const { return writes_; }

  std::size_t half_received(std::uint64_t slot) {
    const std::lock_guard lock(m_);
    const bool this_one = rx_.nread > sizeof rx_.preamble && rx_.getOpcode() == gt::tcp::Op::SEND_UNBOUND_BUFFER &&
                          rx_.preamble.slot == slot;
    return this_one ? rx_.nread - sizeof rx_.preamble : 0;
  }

  bool writing() {
    const std::lock_guard lock(m_);
    return !tx_.empty();
  }

  /// Gloo skips what is ready while another thread sends or closes, and asks the kernel again at once and again,
  /// which takes the processor from that thread.
  void handleEvents(int events) override {
    if (m_.try_lock()) {
      m_.unlock();
      Pair::handleEvents(events);
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(1));
    }
  }

 protected:
  bool read() override {
    const std::size_t before = rx_.nread;
    const bool whole = Pair::read();
    if (whole || rx_.nread != before) ++moves_;
    return whole;
  }

  bool write(gt::tcp::Op& op) override {
    const std::size_t before = op.nwritten;
    const bool whole = Pair::write(op);
    if (whole || op.nwritten != before) ++writes_;
    return whole;
  }

  void changeState(state next) noexcept override {
    Pair::changeState(next);
    if (next == CLOSED && closed_) closed_();
  }

  /// Gloo throws at bytes that make no sense, on the thread of all pairs, where nobody catches it.
  void handleReadWrite(int events) override {
    try {
      Pair::handleReadWrite(events);
    } catch (const std::exception& error) {
      if (state_ != CLOSED) signalException(std::string("what came is none of Gloo's: ") + error.what());
    }
  }

 private:
  /// Gloo looks who is at the other end, and throws where the connection is over by now. Its destructor then takes the
  /// socket out of its loop, where it never was, and ends the process.
  void take_over() {
    try {
      handleConnected();
    } catch (const std::exception&) {
      ::close(std::exchange(fd_, kNoSocket));
      throw;
    }
  }

  static constexpr int kNoSocket = -1;
  std::function<void()> closed_;
  std::atomic<std::uint64_t> moves_{0};
  std::atomic<std::uint64_t> writes_{0};
};

}  // namespace

class GlooLink::Context : public gt::tcp::Context {
 public:
  explicit Context(const std::shared_ptr<gt::tcp::Device>& device) : gt::tcp::Context(device, 0, 2) {
    setTimeout(kNoLimit);
  }
  void adopt(int socket, std::function<void()> closed) {
    auto pair = std::make_unique<AdoptedPair>(this, device_.get(), socket, std::move(closed));
    pair_ = pair.get();
    pairs_[kPeer] = std::move(pair);
  }
  AdoptedPair& pair() { return *pair_; }

 private:
  AdoptedPair* pair_ = nullptr;
};

std::shared_ptr<gt::Device> make_gloo_device() {
  // Only what Gloo listens on without need has this address.
  gt::tcp::attr here;
  here.hostname = "127.0.0.1";
  return gt::tcp::CreateDevice(here);
}

GlooLink::GlooLink(const std::shared_ptr<gt::Device>& device, int socket, const Closed& closed)
    : context_(std::make_shared<Context>(std::dynamic_pointer_cast<gt::tcp::Device>(device))) {
  context_->adopt(socket, [this, closed] { closed(*this); });
}

GlooLink::~GlooLink() { fail("this side has ended the link"); }

std::unique_ptr<gt::UnboundBuffer> GlooLink::buffer(void* bytes, std::size_t size) {
  return context_->createUnboundBuffer(bytes, size);
}

void GlooLink::fail(const std::string& why) { context_->pair().fail(why); }

std::uint64_t GlooLink::moves() const { return context_->pair().moves(); }

std::uint64_t GlooLink::writes() const { return context_->pair().writes(); }

std::size_t GlooLink::half_received(std::uint64_t slot) const { return context_->pair().half_received(slot); }

bool GlooLink::writing() const { return context_->pair().writing(); }

}  // namespace dipaco

#include "backends/gloo/links/pair.hpp"

#include <gloo/transport/tcp/context.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/tcp/pair.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace dipaco {
namespace {

namespace gt = gloo::transport;

/// Liveness is somebody else's. Gloo takes a limit of 0 for none in some places and for no wait at all in others.
constexpr std::chrono::milliseconds kNoLimit = std::chrono::hours(24 * 365);

/// A pair on a given socket.
class AdoptedPair : public gt::tcp::Pair {
 public:
  AdoptedPair(gt::tcp::Context* context, gt::tcp::Device* device, int socket)
      : Pair(context, device, GlooLink::kPeer, kNoLimit) {
    const std::lock_guard lock(m_);
    // The base class has just begun to listen, on an address of this machine alone. Nobody is to come.
    if (state_ != LISTENING) {
      ::close(socket);
      throw std::runtime_error("a stranger came upon Gloo's port");
    }
    device_->unregisterDescriptor(fd_, this);
    ::close(fd_);
    fd_ = socket;
    handleConnected();
  }

  void fail(const std::string& why) {
    const std::lock_guard lock(m_);
    if (state_ != CLOSED) signalException(why);
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
  /// Gloo throws at bytes that make no sense, on the thread of all pairs, where nobody catches it.
  void handleReadWrite(int events) override {
    try {
      Pair::handleReadWrite(events);
    } catch (const std::exception& error) {
      if (state_ != CLOSED) signalException(std::string("what came is none of Gloo's: ") + error.what());
    }
  }
};

}  // namespace

class GlooLink::Context : public gt::tcp::Context {
 public:
  explicit Context(const std::shared_ptr<gt::tcp::Device>& device) : gt::tcp::Context(device, 0, 2) {
    setTimeout(kNoLimit);
  }
  void adopt(int socket) {
    auto pair = std::make_unique<AdoptedPair>(this, device_.get(), socket);
    pair_ = pair.get();
    pairs_[kPeer] = std::move(pair);
  }
  void fail(const std::string& why) { pair_->fail(why); }

 private:
  AdoptedPair* pair_ = nullptr;
};

std::shared_ptr<gt::Device> make_gloo_device() {
  // Only what Gloo listens on without need has this address.
  gt::tcp::attr here;
  here.hostname = "127.0.0.1";
  return gt::tcp::CreateDevice(here);
}

GlooLink::GlooLink(const std::shared_ptr<gt::Device>& device, int socket)
    : context_(std::make_shared<Context>(std::dynamic_pointer_cast<gt::tcp::Device>(device))) {
  context_->adopt(socket);
}

GlooLink::~GlooLink() { fail("this side has ended the link"); }

std::unique_ptr<gt::UnboundBuffer> GlooLink::buffer(void* bytes, std::size_t size) {
  return context_->createUnboundBuffer(bytes, size);
}

void GlooLink::fail(const std::string& why) { context_->fail(why); }

}  // namespace dipaco

#pragma once

#include <gloo/transport/context.h>
#include <gloo/transport/device.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace dipaco {

/// What runs the sockets of all Gloo pairs of this process: one thread.
std::shared_ptr<gloo::transport::Device> make_gloo_device();

/// A Gloo context of two ranks whose one pair is a socket that is connected already, and whose ends know each other.
///
/// Gloo's own way to connect lets each pair listen on a port of its own: whoever comes first is the peer, and bytes
/// that are none of Gloo's end the process. Here nobody can come first, and such bytes end the pair alone
/// (docs/decisions/0011).
class GlooLink {
 public:
  /// Is called when the connection is over, on any thread, with Gloo's locks held: Gloo tells nobody who waits for a
  /// buffer that is half sent or half received.
  using Closed = std::function<void(const GlooLink&)>;

  /// Takes `socket` over. @throws std::exception where Gloo cannot use it
  GlooLink(const std::shared_ptr<gloo::transport::Device>& device, int socket, const Closed& closed);
  ~GlooLink();
  GlooLink(const GlooLink&) = delete;
  GlooLink& operator=(const GlooLink&) = delete;

  /// For send and recv with rank kPeer. `bytes` stay the caller's.
  std::unique_ptr<gloo::transport::UnboundBuffer> buffer(void* bytes, std::size_t size);
  static constexpr int kPeer = 1;

  /// Every wait on a buffer throws, now and from now on, but for the buffers that are half sent or half received, of
  /// which `closed` hears. From any thread.
  void fail(const std::string& why);

  /// Grows with whatever comes from the other side, were it one byte. From any thread, and never waits.
  std::uint64_t moves() const;
  /// Grows with whatever the system takes to send. From any thread, and never waits.
  std::uint64_t writes() const;
  /// Bytes that have come of what is received in this slot; 0 where all or none has. Once the link has failed.
  std::size_t half_received(std::uint64_t slot) const;
  /// Something is in the middle of being written: the system takes no more.
  bool writing() const;

 private:
  class Context;
  std::shared_ptr<Context> context_;
};

}  // namespace dipaco

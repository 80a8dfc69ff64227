#include "backends/gloo/links/connection.hpp"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <chrono>
#include <cstring>
#include <string_view>

namespace dipaco {
namespace {

std::string name_of(const tcp::socket& socket) {
  boost::system::error_code error;
  const auto end = socket.remote_endpoint(error);
  return error ? "a peer that is gone" : end.address().to_string() + ":" + std::to_string(end.port());
}

template <class Array>
auto buffer_of(Array& array) {
  return asio::buffer(array.data(), array.size());
}

void tune(tcp::socket& socket) {
  socket.set_option(tcp::no_delay(true));
  const auto peer = socket.remote_endpoint().address();
  if (!peer.is_loopback() && peer != socket.local_endpoint().address()) return;
  // Within a machine nothing is to be paced. Where BBR is the system's choice, it costs as much there as all the rest;
  // where CUBIC cannot be had, that is no more than slower.
  constexpr std::string_view kCubic = "cubic";
  static_cast<void>(::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_CONGESTION, kCubic.data(), kCubic.size()));
}

}  // namespace

asio::steady_timer::duration timer_duration(Seconds time) {
  return std::chrono::duration_cast<asio::steady_timer::duration>(time);
}

Seconds steady() { return Seconds(std::chrono::steady_clock::now().time_since_epoch()); }

Deadline::Deadline(const std::shared_ptr<tcp::socket>& socket, Seconds limit)
    : timer_(socket->get_executor(), timer_duration(limit)) {
  timer_.async_wait([socket](const boost::system::error_code& cancelled) {
    boost::system::error_code ignored;
    if (!cancelled) socket->close(ignored);
  });
}

Connection::Connection(std::shared_ptr<tcp::socket> socket, SessionKeys keys)
    : socket_(std::move(socket)),
      keys_(keys),
      sealer_(keys.sending),
      opener_(keys.receiving),
      peer_(name_of(*socket_)) {}

Awaitable<std::shared_ptr<Connection>> Connection::begin(std::shared_ptr<tcp::socket> socket, Handshake::Side side,
                                                         const Secret* secret, Seconds limit) {
  const Deadline deadline(socket, limit);
  tune(*socket);
  Handshake handshake(side, secret);
  const bool first = side == Handshake::Side::initiator;
  Handshake::Offer offer;
  Handshake::Proof proof;
  if (first) co_await asio::async_write(*socket, buffer_of(handshake.offer()), asio::use_awaitable);
  co_await asio::async_read(*socket, buffer_of(offer), asio::use_awaitable);
  if (!first) co_await asio::async_write(*socket, buffer_of(handshake.offer()), asio::use_awaitable);
  handshake.take_offer(offer);
  const Handshake::Proof ours = handshake.proof();
  if (!first) co_await asio::async_write(*socket, buffer_of(ours), asio::use_awaitable);
  co_await asio::async_read(*socket, buffer_of(proof), asio::use_awaitable);
  handshake.check_proof(proof);
  if (first) co_await asio::async_write(*socket, buffer_of(ours), asio::use_awaitable);
  co_return std::make_shared<Connection>(socket, handshake.keys());
}

Awaitable<Frame> Connection::read() {
  FrameHeaderBytes head;
  co_await asio::async_read(*socket_, buffer_of(head), asio::use_awaitable);
  const FrameHeader header = decode_frame_header(head);
  std::vector<std::byte> sealed(header.size);
  co_await asio::async_read(*socket_, buffer_of(sealed), asio::use_awaitable);
  Frame frame{header.kind, std::vector<std::byte>(header.size - kSealOverhead)};
  if (!opener_.open(head, sealed, frame.payload)) throw LinkError("a frame was changed on its way");
  co_return frame;
}

Awaitable<Frame> Connection::read(Seconds limit) {
  const Deadline deadline(socket_, limit);
  co_return co_await read();
}

Awaitable<void> Connection::write(FrameKind kind, std::span<const std::byte> payload) {
  const FrameHeaderBytes head = encode({static_cast<std::uint32_t>(payload.size() + kSealOverhead), kind});
  out_.resize(kFrameHeaderSize + payload.size() + kSealOverhead);
  std::memcpy(out_.data(), head.data(), head.size());
  sealer_.seal(head, payload, std::span(out_).subspan(kFrameHeaderSize));
  co_await asio::async_write(*socket_, buffer_of(out_), asio::use_awaitable);
}

void Connection::close() {
  boost::system::error_code ignored;
  socket_->close(ignored);
}

int Connection::release() { return socket_->release(); }

Awaitable<std::shared_ptr<tcp::socket>> connect_to(asio::io_context& io, const std::string& host, std::uint16_t port,
                                                   Seconds limit) {
  auto socket = std::make_shared<tcp::socket>(io);
  const Deadline deadline(socket, limit);
  tcp::resolver resolver(io);
  const auto found = co_await resolver.async_resolve(host, std::to_string(port), asio::use_awaitable);
  boost::system::error_code last = asio::error::host_not_found;
  for (const auto& entry : found) {
    try {
      boost::system::error_code ignored;
      socket->close(ignored);
      co_await socket->async_connect(entry.endpoint(), asio::use_awaitable);
      co_return socket;
    } catch (const boost::system::system_error& error) {
      last = error.code();
      if (last == asio::error::operation_aborted) break;
    }
  }
  throw boost::system::system_error(last);
}

}  // namespace dipaco

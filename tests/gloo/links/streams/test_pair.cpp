#include <boost/asio.hpp>
#include <catch2/catch.hpp>
#include <csignal>

#include "backends/gloo/links/streams/pair.hpp"

namespace dipaco {
namespace {

using boost::asio::ip::tcp;

/// Two ends of a connection within this machine.
struct Ends {
  Ends() : here(io), there(io) {
    tcp::acceptor acceptor(io, {boost::asio::ip::address_v4::loopback(), 0});
    here.connect(acceptor.local_endpoint());
    acceptor.accept(there);
  }
  /// As the system of a process does that is killed with something unread.
  void reset() {
    there.set_option(boost::asio::socket_base::linger(true, 0));
    there.close();
  }

  boost::asio::io_context io;
  tcp::socket here;
  tcp::socket there;
};

}  // namespace

TEST_CASE("a connection that is reset before Gloo takes it over is an error, and ends nothing else", "[gloo]") {
  std::signal(SIGPIPE, SIG_IGN);
  const auto device = make_gloo_device();
  bool closed = false;
  for (int k = 0; k < 3; ++k) {
    Ends ends;
    ends.reset();
    CHECK_THROWS_AS(GlooLink(device, ends.here.release(), [&](const GlooLink&) { closed = true; }), std::exception);
  }
  CHECK_FALSE(closed);
  Ends ends;
  std::vector<std::byte> sent(1000, std::byte{7});
  std::vector<std::byte> received(1000);
  const auto ignore = [](const GlooLink& /*over*/) {};
  GlooLink one(device, ends.here.release(), ignore);
  GlooLink other(device, ends.there.release(), ignore);
  const auto out = one.buffer(sent.data(), sent.size());
  const auto in = other.buffer(received.data(), received.size());
  in->recv(GlooLink::kPeer, 0);
  out->send(GlooLink::kPeer, 0);
  in->waitRecv();
  out->waitSend();
  CHECK(received == sent);
}

}  // namespace dipaco

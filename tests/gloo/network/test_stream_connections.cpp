#include <catch2/catch.hpp>

#include "backends/gloo/network/stream_connections.hpp"

namespace dipaco {
namespace {

constexpr NodeId kSelf{1};
constexpr NodeId kPeer{2};

/// Both ends of a connection between nodes of a run without a secret.
std::pair<std::shared_ptr<Connection>, std::shared_ptr<Connection>> connected(asio::io_context& io) {
  tcp::acceptor acceptor(io, {asio::ip::make_address("127.0.0.1"), 0});
  const auto here = std::make_shared<tcp::socket>(io);
  here->connect(acceptor.local_endpoint());
  const auto there = std::make_shared<tcp::socket>(acceptor.accept());
  return {std::make_shared<Connection>(here, SessionKeys{}), std::make_shared<Connection>(there, SessionKeys{})};
}

/// A link of this node's, whose other end says nothing.
class Linked {
 public:
  explicit Linked(bool initiator) {
    auto [here, there] = connected(shared_.io);
    there_ = there;
    const SessionHooks hooks{
        .open_streams = [this](std::uint32_t streams) { connections_.open(session_, streams); },
        .ended = [this](const std::string& why) { ended_ = why; },
        .turns = {.concerns = [](const Message&) { return false; }, .ask = {}, .arrived = {}},
    };
    session_ =
        std::make_shared<Session>(shared_.io, LinkName{kSelf, kPeer, "link", initiator}, here, SessionOptions{},
                                  SessionShared{std::make_shared<SpareArrays>(0), std::make_shared<Pauses>()}, hooks);
  }

  NetworkShared& shared() { return shared_; }
  Session& session() { return *session_; }
  const std::string& ended() const { return ended_; }
  /// The peer asks for a stream. @returns what is said about it on this side; "": nothing
  std::string serve(const OpenStream& asked) {
    std::string refused;
    const auto [here, there] = connected(shared_.io);
    asio::co_spawn(shared_.io, connections_.serve(session_, here, asked), [&](const std::exception_ptr& error) {
      try {
        if (error) std::rethrow_exception(error);
      } catch (const LinkError& why) {
        refused = why.what();
      }
    });
    run();
    return refused;
  }
  void run() {
    shared_.io.restart();
    shared_.io.run();
  }

 private:
  NetworkShared shared_{NetworkOptions{}};
  StreamConnections connections_{shared_};
  std::shared_ptr<Connection> there_;
  std::shared_ptr<Session> session_;
  std::string ended_;
};

/// Where nobody listens.
Endpoint nowhere() {
  asio::io_context io;
  const tcp::acceptor acceptor(io, {asio::ip::make_address("127.0.0.1"), 0}, false);
  return {"127.0.0.1", acceptor.local_endpoint().port()};
}

}  // namespace

TEST_CASE("a link ends where a stream of it cannot be opened", "[gloo]") {
  Linked link(true);
  const Endpoint where = nowhere();
  link.shared().members.know({.id = kPeer, .host = where.host, .port = where.port, .up = true}, Seconds(0));
  link.session().large().streams().want();
  CHECK(link.ended().empty());
  link.run();
  CHECK_THAT(link.ended(), Catch::StartsWith("no stream for large messages: "));
  CHECK(link.session().over());
}

TEST_CASE("a stream is refused where this node opens the link's streams, or where it is to be had anew", "[gloo]") {
  Linked ours(true);
  CHECK(ours.serve({.stream = 0, .streams = 2}) == "it opens a stream of a link that is not its own");
  Linked theirs(false);
  CHECK(theirs.serve({.stream = 0, .streams = 2, .again = true}) == "it speaks of a stream that is not there");
  CHECK_FALSE(theirs.session().over());
}

TEST_CASE("a connection that fits no stream of its link ends the link, or is dropped if that is over", "[gloo]") {
  Linked link(false);
  CHECK(link.serve({.stream = 2, .streams = 2}).empty());
  CHECK(link.ended() == "its streams do not fit");
  CHECK(link.session().over());
  CHECK(link.serve({.stream = 2, .streams = 2}).empty());
}

}  // namespace dipaco

#include "backends/gloo/network/stream_connections.hpp"

#include <exception>
#include <utility>

#include "backends/gloo/network/dialing.hpp"

namespace dipaco {

void StreamConnections::open(std::shared_ptr<Session> session, std::uint32_t streams) {
  asio::co_spawn(shared_.io, open_all(std::move(session), streams), asio::detached);
}

void StreamConnections::renew(std::shared_ptr<Session> session, std::uint32_t stream) {
  asio::co_spawn(shared_.io, open_again(std::move(session), stream), asio::detached);
}

Awaitable<void> StreamConnections::open_all(std::shared_ptr<Session> session, std::uint32_t streams) {
  try {
    for (std::uint32_t k = 0; k < streams; ++k) {
      const OpenStream asked{session->name().link, k, streams};
      const auto connection = co_await connect(session->name().peer, asked);
      add(*session, asked, *connection);
    }
  } catch (const std::exception& error) {
    session->large().streams().not_opened(error.what());
  }
}

Awaitable<std::shared_ptr<Connection>> StreamConnections::connect(NodeId to, const OpenStream& asked) {
  auto connection = co_await dial(shared_, way_to(shared_, to));
  co_await connection->write(FrameKind::open_stream, encode_payload(asked));
  const Frame answer = co_await connection->read(shared_.limit());
  if (answer.kind != FrameKind::stream_open) throw LinkError("it does not open a stream");
  co_return connection;
}

Awaitable<void> StreamConnections::open_again(std::shared_ptr<Session> session, std::uint32_t stream) {
  try {
    const OpenStream asked{session->name().link, stream, session->large().streams().count(), true};
    auto connection = co_await connect(session->name().peer, asked);
    co_await renew_over(session, asked, std::move(connection));
  } catch (const std::exception& error) {
    if (!session->over()) session->large().streams().renewals().not_connected(stream, error.what());
  }
}

Awaitable<void> StreamConnections::renew_over(std::shared_ptr<Session> session, OpenStream which,
                                              std::shared_ptr<Connection> connection) {
  if (session->over()) co_return;
  Renewals& renewals = session->large().streams().renewals();
  GoOn from;
  if (session->large().streams().way(which) == Stream::Way::sends) {
    const auto word = co_await read_go_on(*connection);
    if (session->over()) co_return;
    if (!word) co_return renewals.not_needed(which.stream);
    from = *word;
  } else {
    const auto cut = renewals.cut(which.stream);
    if (!cut) co_return connection->close();
    from = *cut;
    try {
      co_await connection->write(FrameKind::go_on, encode_payload(from));
    } catch (const std::exception&) {
      if (!session->over()) renewals.broke(which.stream);
      throw;
    }
    if (session->over()) co_return;
  }
  renewals.go_on(which.stream, connection->release(), from);
}

Awaitable<std::optional<GoOn>> StreamConnections::read_go_on(Connection& connection) {
  try {
    const Frame frame = co_await connection.read(shared_.limit());
    if (frame.kind != FrameKind::go_on) throw LinkError("it does not say where a stream goes on");
    co_return decode_payload<GoOn>(frame.payload, "a word of " + connection.peer());
  } catch (const boost::system::system_error&) {
    co_return std::nullopt;  // the stream moves again
  }
}

Awaitable<void> StreamConnections::serve(std::shared_ptr<Session> session, std::shared_ptr<Connection> connection,
                                         OpenStream asked) {
  if (session->name().initiator) throw LinkError("it opens a stream of a link that is not its own");
  co_await connection->write(FrameKind::stream_open, encode_payload(LinkOpen{true}));
  if (asked.again) co_return co_await renew_over(std::move(session), asked, std::move(connection));
  add(*session, asked, *connection);
}

void StreamConnections::add(Session& session, const OpenStream& which, Connection& connection) {
  if (session.over()) return;
  LinkStreams& streams = session.large().streams();
  const SessionKeys keys = connection.keys();
  streams.add(which, std::make_unique<Stream>(device_, connection.release(), keys, streams.way(which),
                                              streams.hooks_of(which.stream)));
}

}  // namespace dipaco

#include "backends/gloo/network/links.hpp"

#include <algorithm>
#include <utility>

#include "backends/gloo/network/dialing.hpp"

namespace dipaco {

Links::Links(NetworkShared& shared, LinksHooks hooks)
    : shared_(shared),
      hooks_(std::move(hooks)),
      device_(make_gloo_device()),
      in_common_{.spare = std::make_shared<SpareArrays>(shared.options.session.inbox),
                 .pauses = std::make_shared<Pauses>()} {}

bool Links::none() const {
  return std::ranges::all_of(links_, [](const auto& link) { return link.second.session == nullptr; });
}

std::shared_ptr<Session> Links::begin(LinkName name, std::shared_ptr<Connection> connection,
                                      std::optional<Frame> answer) {
  const NodeId node = name.peer;
  end(node);
  const SessionHooks hooks = hooks_of(name);
  const auto session = std::make_shared<Session>(shared_.io, std::move(name), std::move(connection),
                                                 shared_.options.session, in_common_, hooks);
  links_[node].session = session;
  if (answer) session->send(answer->kind, std::move(answer->payload));
  hooks_.begun(node, *session);
  if (leaving_) session->leave();
  return session;
}

SessionHooks Links::hooks_of(const LinkName& name) {
  const NodeId node = name.peer;
  const Token link = name.link;
  return {.arrived =
              [this, node, link](Envelope envelope, std::uint64_t size) {
                shared_.inbox.put(std::move(envelope), [this, node, link, size] {
                  asio::post(shared_.io, [this, node, link, size] { taken(node, link, size); });
                });
              },
          .frame = [this, node](Frame frame) { hooks_.frame(node, std::move(frame)); },
          .open_streams =
              [this, node](std::uint32_t n) { asio::co_spawn(shared_.io, open_streams(node, n), asio::detached); },
          .renew_stream =
              [this, node](std::uint32_t k) { asio::co_spawn(shared_.io, renew_stream(node, k), asio::detached); },
          .stalled = [this, node](const Stall& stall) { stalled(node, stall); },
          .ended = [this, node, link](const std::string& why) { ended(node, link, why); },
          .now = [this] { return shared_.clock.now(); }};
}

void Links::taken(NodeId from, const Token& link, std::uint64_t size) {
  const auto& session = with(from);
  if (session != nullptr && session->name().link == link) session->taken(size);
}

void Links::end(NodeId node) {
  const auto session = with(node);
  if (session == nullptr) return;
  session->end();
  ended(node, session->name().link, "it has opened another link");
}

void Links::ended(NodeId node, const Token& link, const std::string& why) {
  Link& there = links_[node];
  if (there.session == nullptr || there.session->name().link != link) return;
  const bool left = there.session->left();
  there.session.reset();
  there.last = link;
  hooks_.ended(node, left, why);
}

void Links::stalled(NodeId node, const Stall& stall) {
  shared_.note(shared_.members.describe(node) + ": " + describe(stall));
  shared_.stalls.note(node, stall, shared_.clock.now());
}

void Links::end_all() {
  for (auto& [node, link] : links_) {
    if (link.session != nullptr) link.session->end();
  }
}

void Links::tell_all(const Member& member) {
  for (const auto& [node, link] : links_) {
    if (node != member.id && link.session != nullptr) link.session->send(FrameKind::member, encode_payload(member));
  }
}

void Links::tell_all(FrameKind kind) {
  for (const auto& [node, link] : links_) {
    if (link.session != nullptr) link.session->send(kind, {});
  }
}

void Links::leave() {
  leaving_ = true;
  for (const auto& [node, link] : links_) {
    if (link.session != nullptr) link.session->leave();
  }
}

Awaitable<void> Links::open_streams(NodeId to, std::uint32_t streams) {
  const auto session = with(to);
  if (session == nullptr) co_return;
  try {
    for (std::uint32_t k = 0; k < streams; ++k) {
      const OpenStream asked{session->name().link, k, streams};
      const auto connection = co_await connect(to, asked);
      add_stream(*session, asked, *connection);
    }
  } catch (const std::exception& error) {
    session->streams().not_opened(error.what());
  }
}

Awaitable<std::shared_ptr<Connection>> Links::connect(NodeId to, const OpenStream& asked) {
  auto connection = co_await dial(shared_, way_to(shared_, to));
  co_await connection->write(FrameKind::open_stream, encode_payload(asked));
  const Frame answer = co_await connection->read(shared_.limit());
  if (answer.kind != FrameKind::stream_open) throw LinkError("it does not open a stream");
  co_return connection;
}

Awaitable<void> Links::renew_stream(NodeId to, std::uint32_t stream) {
  const auto session = with(to);
  if (session == nullptr) co_return;
  try {
    const OpenStream asked{session->name().link, stream, session->streams().count(), true};
    auto connection = co_await connect(to, asked);
    co_await renew_over(session, asked, std::move(connection));
  } catch (const std::exception& error) {
    if (!session->over()) session->streams().renewals().not_connected(stream, error.what());
  }
}

Awaitable<std::optional<GoOn>> Links::read_go_on(Connection& connection) {
  try {
    const Frame frame = co_await connection.read(shared_.limit());
    if (frame.kind != FrameKind::go_on) throw LinkError("it does not say where a stream goes on");
    co_return decode_payload<GoOn>(frame.payload, "a word of " + connection.peer());
  } catch (const boost::system::system_error&) {
    co_return std::nullopt;  // the stream moves again
  }
}

Awaitable<void> Links::renew_over(std::shared_ptr<Session> session, OpenStream which,
                                  std::shared_ptr<Connection> connection) {
  if (session->over()) co_return;
  GoOn from;
  if (session->streams().way(which) == Stream::Way::sends) {
    const auto word = co_await read_go_on(*connection);
    if (session->over()) co_return;
    if (!word) co_return session->streams().renewals().not_needed(which.stream);
    from = *word;
  } else {
    const auto cut = session->streams().renewals().cut(which.stream);
    if (!cut) co_return connection->close();
    from = *cut;
    try {
      co_await connection->write(FrameKind::go_on, encode_payload(from));
    } catch (const std::exception&) {
      if (!session->over()) session->streams().renewals().broke(which.stream);
      throw;
    }
    if (session->over()) co_return;
  }
  session->streams().renewals().go_on(which.stream, connection->release(), from);
}

Awaitable<void> Links::serve_stream(std::shared_ptr<Connection> connection, OpenStream asked) {
  std::shared_ptr<Session> session;
  for (const auto& [node, link] : links_) {
    if (link.session != nullptr && link.session->name().link == asked.link) session = link.session;
  }
  if (session == nullptr || session->name().initiator) throw LinkError("it names a link that is not there");
  co_await connection->write(FrameKind::stream_open, encode_payload(LinkOpen{true}));
  if (asked.again) co_return co_await renew_over(std::move(session), asked, std::move(connection));
  add_stream(*session, asked, *connection);
}

void Links::add_stream(Session& session, const OpenStream& asked, Connection& connection) {
  if (session.over()) return;
  LinkStreams& streams = session.streams();
  const SessionKeys keys = connection.keys();
  streams.add(asked, std::make_unique<Stream>(device_, connection.release(), keys, streams.way(asked),
                                              streams.hooks_of(asked.stream)));
}

}  // namespace dipaco

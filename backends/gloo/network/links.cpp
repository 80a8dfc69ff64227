#include "backends/gloo/network/links.hpp"

#include <algorithm>
#include <utility>

#include "backends/gloo/network/dialing.hpp"

namespace dipaco {

Links::Links(NetworkShared& shared, LinksHooks hooks)
    : shared_(shared),
      hooks_(std::move(hooks)),
      device_(make_gloo_device()),
      spare_arrays_(std::make_shared<SpareArrays>(shared.options.session.inbox)) {}

bool Links::none() const {
  return std::ranges::all_of(links_, [](const auto& link) { return link.second.session == nullptr; });
}

std::shared_ptr<Session> Links::begin(LinkName name, std::shared_ptr<Connection> connection,
                                      std::optional<Frame> answer) {
  const NodeId node = name.peer;
  end(node);
  const SessionHooks hooks = hooks_of(name);
  const auto session = std::make_shared<Session>(shared_.io, std::move(name), std::move(connection),
                                                 shared_.options.session, spare_arrays_, hooks);
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
  const Endpoint where = way_to(shared_, to);
  try {
    for (std::uint32_t k = 0; k < streams; ++k) {
      const auto connection = co_await dial(shared_, where);
      const OpenStream asked{session->name().link, k, streams};
      co_await connection->write(FrameKind::open_stream, encode_payload(asked));
      const Frame answer = co_await connection->read(shared_.limit());
      if (answer.kind != FrameKind::stream_open) throw LinkError("it does not open a stream");
      add_stream(*session, asked, *connection);
    }
  } catch (const std::exception& error) {
    session->stream_failed()(std::string("no stream for large messages: ") + error.what());
  }
}

Awaitable<void> Links::serve_stream(std::shared_ptr<Connection> connection, OpenStream asked) {
  std::shared_ptr<Session> session;
  for (const auto& [node, link] : links_) {
    if (link.session != nullptr && link.session->name().link == asked.link) session = link.session;
  }
  if (session == nullptr || session->name().initiator) throw LinkError("it names a link that is not there");
  co_await connection->write(FrameKind::stream_open, encode_payload(LinkOpen{true}));
  add_stream(*session, asked, *connection);
}

void Links::add_stream(Session& session, const OpenStream& asked, Connection& connection) {
  const SessionKeys keys = connection.keys();
  session.add_stream(asked, std::make_unique<Stream>(device_, connection.release(), keys, session.way(asked),
                                                     session.stream_failed()));
}

}  // namespace dipaco

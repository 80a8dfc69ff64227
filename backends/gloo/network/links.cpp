#include "backends/gloo/network/links.hpp"

#include <algorithm>
#include <utility>

namespace dipaco {

Links::Links(NetworkShared& shared, LinksHooks hooks)
    : shared_(shared),
      hooks_(std::move(hooks)),
      stream_connections_(shared),
      in_common_{.spare = std::make_shared<SpareArrays>(shared.options.session.inbox),
                 .pauses = std::make_shared<Pauses>()} {}

InMotion Links::in_motion() const {
  InMotion motion;
  for (const auto& [node, link] : links_) {
    if (link.session) link.session->large().tell(node, motion);
  }
  return motion;
}

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
                if (hooks_.take(node, envelope.message)) return taken(node, link, size);
                shared_.inbox.put(std::move(envelope), [this, node, link, size] {
                  asio::post(shared_.io, [this, node, link, size] { taken(node, link, size); });
                });
              },
          .frame = [this, node](Frame frame) { hooks_.frame(node, std::move(frame)); },
          .open_streams =
              [this, node](std::uint32_t streams) {
                if (const auto& session = with(node)) stream_connections_.open(session, streams);
              },
          .renew_stream =
              [this, node](std::uint32_t stream) {
                if (const auto& session = with(node)) stream_connections_.renew(session, stream);
              },
          .stalled = [this, node](const Stall& stall) { stalled(node, stall); },
          .ended = [this, node, link](const std::string& why) { ended(node, link, why); },
          .now = [this] { return shared_.clock.now(); },
          .turns = hooks_.turns(node)};
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

Awaitable<void> Links::serve_stream(std::shared_ptr<Connection> connection, OpenStream asked) {
  std::shared_ptr<Session> session;
  for (const auto& [node, link] : links_) {
    if (link.session != nullptr && link.session->name().link == asked.link) session = link.session;
  }
  if (session == nullptr) throw LinkError("it names a link that is not there");
  co_await stream_connections_.serve(std::move(session), std::move(connection), std::move(asked));
}

}  // namespace dipaco

#include <algorithm>
#include <chrono>
#include <utility>

#include "backends/gloo/network/network.hpp"
#include "core/base/error.hpp"

// The links with the other nodes: opened when something is to be sent, given up after the liveness limit.

namespace dipaco {
namespace {

constexpr Seconds kFirstPause{0.05};
constexpr Seconds kLongestPause{1.0};

}  // namespace

void Network::send(NodeId to, Message message) {
  if (to == self_) return inbox_.put(Envelope{self_, now(), std::move(message)});
  Peer& peer = peers_[to];
  if (peer.session != nullptr) return peer.session->send(message);
  peer.waiting.push_back(std::move(message));
  if (peer.waiting.size() == 1) wait_for(to);
  tell_busy();
}

void Network::tell_busy() {
  const auto busy = [](const auto& peer) { return peer.second.session != nullptr || !peer.second.waiting.empty(); };
  const bool now_busy = std::any_of(peers_.begin(), peers_.end(), busy) || !owed().empty();
  const std::lock_guard lock(mutex_);
  busy_ = now_busy;
  changed_.notify_all();
}

void Network::wait_for(NodeId to) {
  Peer& peer = peers_[to];
  const auto timer = std::make_shared<asio::steady_timer>(io_, timer_duration(options_.session.limit));
  timer->async_wait([this, timer, to, patience = ++peer.patience](const boost::system::error_code& cancelled) {
    if (!cancelled && peers_[to].patience == patience) give_up_waiting(to);
  });
  const bool ours_to_open = to != kCoordinator && options_.registry == nullptr;
  if (ours_to_open && !peer.opening) asio::co_spawn(io_, open(to), asio::detached);
}

void Network::give_up_waiting(NodeId to) {
  Peer& peer = peers_[to];
  if (peer.session != nullptr || peer.waiting.empty()) return;
  peer.waiting.clear();
  inbox_.put(PeerLost{to});
  tell_busy();
}

Awaitable<void> Network::open(NodeId to) {
  peers_[to].opening = true;
  const Token link = make_token();
  for (Seconds pause = kFirstPause; !peers_[to].waiting.empty(); pause = std::min(2 * pause, kLongestPause)) {
    auto connection = co_await try_to_open(to, link);
    Peer& peer = peers_[to];
    if (peer.session != nullptr) break;  // it came to us meanwhile
    if (connection) {
      install({self_, to, link, true}, std::move(*connection))->start();
      break;
    }
    asio::steady_timer timer(io_, timer_duration(pause));
    co_await timer.async_wait(asio::use_awaitable);
  }
  peers_[to].opening = false;
  if (peers_[to].session == nullptr && !peers_[to].waiting.empty()) wait_for(to);
}

/// Port 0: nobody has said it yet.
Endpoint Network::way_to(NodeId to) const {
  const std::lock_guard lock(mutex_);
  const auto known = members_.find(to);
  if (known == members_.end()) return {};
  const Member& member = known->second;
  // Not every network leads a machine back to itself by its outer address.
  const bool beside = member.host == options_.reached_at && member.machine == options_.self.machine;
  return {beside ? options_.listen.host : member.host, member.port};
}

Awaitable<std::optional<std::shared_ptr<Connection>>> Network::try_to_open(NodeId to, Token link) {
  const Endpoint where = way_to(to);
  if (where.port == 0) co_return std::nullopt;
  const Secret* secret = options_.secret ? &*options_.secret : nullptr;
  const Seconds limit = options_.session.limit;
  try {
    auto socket = co_await connect_to(io_, where.host, where.port, limit);
    auto connection = co_await Connection::begin(std::move(socket), Handshake::Side::initiator, secret, limit);
    const OpenLink asked{self_, to, options_.self.incarnation, run_, peers_[to].last_link, link};
    co_await connection->write(FrameKind::open_link, encode_payload(asked));
    const Frame answer = co_await connection->read(limit);
    if (answer.kind == FrameKind::link_open) co_return connection;
  } catch (const boost::system::system_error&) {
    // It is not there, or has a link with us already: tried again as long as something waits.
  } catch (const std::exception& error) {
    note("no link with " + describe(to) + ": " + error.what());
  }
  co_return std::nullopt;
}

Awaitable<void> Network::open_streams(NodeId to, std::uint32_t streams) {
  const auto session = peers_[to].session;
  if (session == nullptr) co_return;
  const Endpoint where = way_to(to);
  const Secret* secret = options_.secret ? &*options_.secret : nullptr;
  const Seconds limit = options_.session.limit;
  try {
    for (std::uint32_t k = 0; k < streams; ++k) {
      auto socket = co_await connect_to(io_, where.host, where.port, limit);
      auto connection = co_await Connection::begin(std::move(socket), Handshake::Side::initiator, secret, limit);
      const OpenStream asked{session->name().link, k, streams};
      co_await connection->write(FrameKind::open_stream, encode_payload(asked));
      const Frame answer = co_await connection->read(limit);
      if (answer.kind != FrameKind::stream_open) throw LinkError("it does not open a stream");
      const SessionKeys keys = connection->keys();
      session->add_stream(asked, std::make_unique<Stream>(device_, connection->release(), keys, session->way(asked),
                                                          session->stream_failed()));
    }
  } catch (const std::exception& error) {
    session->stream_failed()(std::string("no stream for large messages: ") + error.what());
  }
}

void Network::end_link(NodeId to) {
  const auto session = peers_[to].session;
  if (session == nullptr) return;
  session->end();
  ended(to, session->name().link, "it has opened another link");
}

std::shared_ptr<Session> Network::install(LinkName name, std::shared_ptr<Connection> connection,
                                          std::optional<Frame> answer) {
  const NodeId to = name.peer;
  end_link(to);
  lost_at_.erase(to);
  Peer& peer = peers_[to];
  const Token link = name.link;
  SessionHooks hooks{
      .arrived =
          [this, to, link](Envelope envelope, std::uint64_t size) {
            inbox_.put(std::move(envelope), [this, to, link, size] {
              asio::post(io_, [this, to, link, size] {
                const auto& session = peers_[to].session;
                if (session != nullptr && session->name().link == link) session->taken(size);
              });
            });
          },
      .frame = [this, to](Frame frame) { take_frame(to, std::move(frame)); },
      .open_streams = [this, to](std::uint32_t n) { asio::co_spawn(io_, open_streams(to, n), asio::detached); },
      .ended = [this, to, link](const std::string& why) { ended(to, link, why); },
      .now = [this] { return now(); }};
  peer.session =
      std::make_shared<Session>(io_, std::move(name), std::move(connection), options_.session, spare_arrays_, hooks);
  ++peer.patience;
  if (answer) peer.session->send(answer->kind, std::move(answer->payload));
  for (const Message& message : std::exchange(peer.waiting, {})) peer.session->send(message);
  tell_busy();
  if (leaving_) peer.session->leave();
  return peer.session;
}

void Network::ended(NodeId peer, const Token& link, const std::string& why) {
  Peer& there = peers_[peer];
  if (there.session == nullptr || there.session->name().link != link) return;
  note_gone(peer, there.session->left() ? "has left" : "is lost: " + why);
  if (there.session->left()) {
    know_end_.insert(peer);
  } else {
    lost_at_[peer] = steady();
  }
  there.session.reset();
  there.last_link = link;
  if (peer == kCoordinator) {
    const std::lock_guard lock(mutex_);
    cut_off_ = steady();
  }
  inbox_.put(PeerLost{peer});
  tell_busy();
  if (peer == kCoordinator) rejoin_.cancel();
  if (options_.registry == nullptr) return;
  Member gone;
  {
    const std::lock_guard lock(mutex_);
    gone = members_[peer];
  }
  gone.up = false;
  know(gone);
  tell_all(gone);
}

void Network::leave(Seconds limit) {
  asio::post(io_, [this] {
    leaving_ = true;
    for (const auto& [node, peer] : peers_) {
      if (peer.session != nullptr) peer.session->leave();
    }
    tell_busy();
  });
  wait_while_busy(limit);
}

void Network::finish(Seconds limit) {
  {
    const std::lock_guard lock(mutex_);
    busy_ = true;  // until the links' thread has looked who is owed a word
  }
  asio::post(io_, [this] { begin_end(); });
  wait_while_busy(limit);
}

void Network::wait_while_busy(Seconds limit) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, limit, [this] { return !busy_; });
}

}  // namespace dipaco

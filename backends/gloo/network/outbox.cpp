#include "backends/gloo/network/outbox.hpp"

#include <algorithm>
#include <utility>

#include "backends/gloo/network/dialing.hpp"

namespace dipaco {
namespace {

constexpr Seconds kFirstPause{0.05};
constexpr Seconds kLongestPause{1.0};

}  // namespace

void Outbox::send(NodeId to, Message message) {
  const NodeId self = shared_.members.self();
  if (to == self) return shared_.inbox.put(Envelope{self, shared_.clock.now(), std::move(message)});
  if (const auto& session = links_.with(to)) return session->send(message);
  const auto known = shared_.members.find(to);
  if (known && known->left) return shared_.inbox.put(PeerLost{to});  // nothing more comes from there: no use in waiting
  Queue& queue = queues_[to];
  queue.messages.push_back(std::move(message));
  if (queue.messages.size() == 1) wait_for(to);
  changed_();
}

void Outbox::send_waiting(NodeId to, Session& session) {
  Queue& queue = queues_[to];
  ++queue.patience;
  for (const Message& message : std::exchange(queue.messages, {})) session.send(message);
}

bool Outbox::empty() const {
  return std::ranges::all_of(queues_, [](const auto& queue) { return queue.second.messages.empty(); });
}

void Outbox::wait_for(NodeId to) {
  Queue& queue = queues_[to];
  const auto timer = std::make_shared<asio::steady_timer>(shared_.io, timer_duration(shared_.limit()));
  timer->async_wait([this, timer, to, patience = ++queue.patience](const boost::system::error_code& cancelled) {
    if (!cancelled && queues_[to].patience == patience) give_up_waiting(to);
  });
  const bool ours_to_open = to != kCoordinator && shared_.options.registry == nullptr;
  if (ours_to_open && !queue.opening) asio::co_spawn(shared_.io, open(to), asio::detached);
}

void Outbox::give_up_waiting(NodeId to) {
  Queue& queue = queues_[to];
  if (links_.with(to) != nullptr || queue.messages.empty()) return;
  queue.messages.clear();
  shared_.inbox.put(PeerLost{to});
  changed_();
}

Awaitable<void> Outbox::open(NodeId to) {
  queues_[to].opening = true;
  const Token link = make_token();
  for (Seconds pause = kFirstPause; !queues_[to].messages.empty(); pause = std::min(2 * pause, kLongestPause)) {
    auto connection = co_await try_to_open(to, link);
    if (links_.with(to) != nullptr) break;  // it came to us meanwhile
    if (connection) {
      links_.begin({shared_.members.self(), to, link, true}, std::move(*connection))->start();
      break;
    }
    asio::steady_timer timer(shared_.io, timer_duration(pause));
    co_await timer.async_wait(asio::use_awaitable);
  }
  queues_[to].opening = false;
  if (links_.with(to) == nullptr && !queues_[to].messages.empty()) wait_for(to);
}

Awaitable<std::optional<std::shared_ptr<Connection>>> Outbox::try_to_open(NodeId to, Token link) {
  const Endpoint where = way_to(shared_, to);
  if (where.port == 0) co_return std::nullopt;
  try {
    auto connection = co_await dial(shared_, where);
    const OpenLink asked{.from = shared_.members.self(),
                         .to = to,
                         .incarnation = shared_.options.self.incarnation,
                         .run = shared_.members.run(),
                         .replaces = links_.last_with(to),
                         .link = link};
    co_await connection->write(FrameKind::open_link, encode_payload(asked));
    const Frame answer = co_await connection->read(shared_.limit());
    if (answer.kind == FrameKind::link_open) co_return connection;
  } catch (const boost::system::system_error&) {
    // It is not there, or has a link with us already: tried again as long as something waits.
  } catch (const std::exception& error) {
    shared_.note("no link with " + shared_.members.describe(to) + ": " + error.what());
  }
  co_return std::nullopt;
}

void Outbox::serve_link(std::shared_ptr<Connection> connection, const OpenLink& asked) {
  const NodeId self = shared_.members.self();
  const auto& session = links_.with(asked.from);
  const bool other_run = asked.run != shared_.members.run() || asked.to != self;
  const bool current = session != nullptr && session->name().link != asked.replaces;
  // Where both try at once, the lower number's link is it.
  const bool ours_first = session == nullptr && queues_[asked.from].opening && self < asked.from;
  if (other_run || current || ours_first) throw LinkError("there is a link with that node, or will be");
  Frame answer{FrameKind::link_open, encode_payload(LinkOpen{true})};
  links_.begin({self, asked.from, asked.link, false}, std::move(connection), std::move(answer))->start();
}

}  // namespace dipaco

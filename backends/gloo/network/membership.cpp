#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <string>
#include <utility>

#include "backends/gloo/meeting/local_address.hpp"
#include "backends/gloo/network/network.hpp"
#include "core/base/error.hpp"

// Who takes part: nodes join the coordinator, which numbers them and tells everybody.

namespace dipaco {
namespace {

constexpr Seconds kPause{0.2};
constexpr Seconds kBetweenNotes{30};

}  // namespace

std::string Network::describe(NodeId node) const {
  const std::lock_guard lock(mutex_);
  const std::string number = "node " + std::to_string(index(node));
  const auto known = members_.find(node);
  if (known == members_.end()) return number;
  const Member& member = known->second;
  return number + " (" + name(member.role) + " on " + member.machine + ", " + member.host + ":" +
         std::to_string(member.port) + ")";
}

void Network::know(const Member& member) {
  bool was_up = false;
  {
    const std::lock_guard lock(mutex_);
    const auto known = members_.find(member.id);
    was_up = known != members_.end() && known->second.up;
    members_[member.id] = member;
    if (member.id == self_) return;
  }
  if (!member.up) return was_up ? note_gone(member.id, "is gone") : void();
  noted_gone_.erase(member.id);
  if (!was_up && !leaving_) note(describe(member.id) + " takes part");
}

/// Once for each loss, whoever hears of it first: its link, or the coordinator.
void Network::note_gone(NodeId node, const std::string& how) {
  if (noted_gone_.insert(node).second && !leaving_) note(describe(node) + " " + how);
}

void Network::tell_all(const Member& member) {
  for (const auto& [node, peer] : peers_) {
    if (node != member.id && peer.session != nullptr) peer.session->send(FrameKind::member, encode_payload(member));
  }
}

void Network::join() {
  std::unique_lock lock(mutex_);
  while (self_ == NodeId{-1} && !refused_) {
    if (noticed_) throw NodeStopped{};
    changed_.wait_for(lock, kPause);
    lock.unlock();
    inbox_.check();
    lock.lock();
  }
  if (refused_) std::rethrow_exception(refused_);
}

bool Network::is_cut_off(Seconds limit) const {
  const std::lock_guard lock(mutex_);
  return cut_off_ && steady() - *cut_off_ > limit;
}

void Network::begin_end() {
  over_ = steady();
  // A node that has joined again and not said hello yet has heard nothing of the coordinator's role.
  for (const auto& [node, peer] : peers_) {
    if (peer.session != nullptr) peer.session->send(FrameKind::run_over, {});
  }
  for (const NodeId node : owed()) {
    if (peers_[node].session == nullptr) note(describe(node) + " is waited for, to hear that the run is over");
  }
  tell_busy();
}

std::vector<NodeId> Network::owed() const {
  std::vector<NodeId> owed;
  if (!over_) return owed;
  for (const Member& member : members()) {
    const bool keeps = member.role == Role::executor || member.role == Role::store;
    const auto lost = lost_at_.find(member.id);
    const bool lately = lost != lost_at_.end() && lost->second > *over_ - 2 * options_.session.limit;
    if ((keeps || lately) && !know_end_.contains(member.id)) owed.push_back(member.id);
  }
  return owed;
}

void Network::give_up(const std::exception_ptr& why) {
  inbox_.fail(why);
  const std::lock_guard lock(mutex_);
  refused_ = why;
  changed_.notify_all();
}

void Network::send_report(std::uint64_t number, std::vector<std::byte> bytes) {
  asio::post(io_, [this, number, bytes = std::move(bytes)]() mutable {
    const auto& session = peers_[kCoordinator].session;
    if (session != nullptr) session->send(FrameKind::report, bytes);
    reports_.emplace(number, std::move(bytes));
  });
}

void Network::notice() {
  const std::lock_guard lock(mutex_);
  noticed_ = true;
  inbox_.put(Notice{});
  changed_.notify_all();
}

Awaitable<void> Network::keep_joined() {
  std::optional<Seconds> noted;
  while (!leaving_) {
    const bool first = self_ == NodeId{-1};
    std::string why = "nobody says where it is";
    try {
      co_await try_to_join();
      noted.reset();
      while (peers_[kCoordinator].session != nullptr) {
        rejoin_.expires_after(std::chrono::hours(24));
        boost::system::error_code woken;
        co_await rejoin_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
      }
      continue;
    } catch (const RunIsOver&) {
      co_return give_up(std::current_exception());
    } catch (const RunError&) {
      co_return give_up(std::current_exception());
    } catch (const NotAuthorised& error) {
      why = error.what();
      if (first) {
        // Once in, this may be a stranger on the coordinator's port while it is away.
        co_return give_up(std::make_exception_ptr(RunError(static_cast<int>(ExitStatus::not_authorised),
                                                           "the coordinator did not let this node in: " + why)));
      }
    } catch (const std::exception& error) {
      why = error.what();
    }
    if (!noted || steady() - *noted > kBetweenNotes) {
      if (noted || !first) note("no coordinator yet: " + why + "; trying again");
      noted = steady();
    }
    asio::steady_timer pause(io_, timer_duration(kPause));
    co_await pause.async_wait(asio::use_awaitable);
  }
}

Awaitable<void> Network::try_to_join() {
  const auto where = options_.find_coordinator();
  if (!where) throw LinkError("nobody says where it is");
  const Secret* secret = options_.secret ? &*options_.secret : nullptr;
  const Seconds limit = options_.session.limit;
  auto socket = co_await connect_to(io_, where->host, where->port, limit);
  auto connection = co_await Connection::begin(std::move(socket), Handshake::Side::initiator, secret, limit);
  const Token link = make_token();
  const Join ours{.key = options_.key,
                  .run = run_,
                  .self = options_.self,
                  .version = options_.version,
                  .config_hash = options_.config_hash,
                  .replaces = peers_[kCoordinator].last_link,
                  .link = link};
  const Seconds asked = steady();
  co_await connection->write(FrameKind::join, encode_payload(ours));
  const Frame answer = co_await connection->read(limit);
  const std::string source = "the coordinator's answer";
  if (answer.kind == FrameKind::refused) {
    const auto refused = decode_payload<Refused>(answer.payload, source);
    if (refused.status == Refused::kComeAgain) throw LinkError(refused.why);
    if (refused.status == Refused::kRunIsOver) throw RunIsOver{};
    throw RunError(refused.status, refused.why);
  }
  if (answer.kind != FrameKind::welcome) throw LinkError("the coordinator gives no answer");
  welcomed(decode_payload<Welcome>(answer.payload, source), asked);
  {
    const std::lock_guard lock(mutex_);
    members_[kCoordinator].host = where->host;
    members_[kCoordinator].port = where->port;
  }
  const auto session = install({self_, kCoordinator, link, true}, std::move(connection));
  for (const auto& [number, bytes] : reports_) session->send(FrameKind::report, bytes);
  session->start();
  const std::lock_guard lock(mutex_);
  cut_off_.reset();
  changed_.notify_all();
}

void Network::welcomed(const Welcome& welcome, Seconds asked) {
  run_ = welcome.run;
  {
    const std::lock_guard lock(mutex_);
    // Both ways take about the same time.
    if (self_ == NodeId{-1}) offset_ = Seconds(welcome.heard + welcome.now) / 2 - (asked + steady()) / 2;
    self_ = welcome.id;
  }
  for (const Member& member : welcome.members) know(member);
}

std::optional<Refused> Network::refusal(const Join& asked, const std::string& from) const {
  const auto usage = static_cast<std::int32_t>(ExitStatus::usage);
  if (asked.version != options_.version) {
    return Refused{usage, "this is version " + asked.version + ", the coordinator's is " + options_.version +
                              "; run the same dipaco-run everywhere"};
  }
  if (asked.config_hash != options_.config_hash) {
    return Refused{usage, "this node's configuration has the hash " + asked.config_hash + ", the coordinator's " +
                              options_.config_hash + "; start both with the same run file, --set and prepared data"};
  }
  if (!asked.run.empty() && asked.run != run_) {
    return Refused{usage, "this node's folder holds the state of run " + asked.run + ", the coordinator's run is " +
                              run_ + "; remove the folder's state, or name another --out"};
  }
  if (is_loopback(asked.self.host) && !is_loopback(from)) {
    return Refused{usage, "this node says that it is reached at " + asked.self.host +
                              ", which leads nowhere from other machines; name the network with --interface"};
  }
  if (asked.self.role == Role::coordinator) return Refused{usage, "the run has a coordinator; choose another --role"};
  return std::nullopt;
}

void Network::serve_join(std::shared_ptr<Connection> connection, Join asked) {
  const Seconds heard = now();
  const auto refuse = [&](
                          const Refused& why, std::function<void()> said = [] {}) {
    note("a " + std::string(name(asked.self.role)) + " at " + connection->peer() + " was refused: " + why.why);
    asio::co_spawn(
        io_,
        [connection, why]() -> Awaitable<void> { co_await connection->write(FrameKind::refused, encode_payload(why)); },
        [said = std::move(said)](const std::exception_ptr& failed) {
          if (!failed) said();
        });
  };
  const std::string address = connection->peer().substr(0, connection->peer().rfind(':'));
  if (const auto why = refusal(asked, address)) return refuse(*why);
  Member member = options_.registry->admit(asked.key, asked.self);
  const NodeId id = member.id;
  if (over_) {
    end_link(id);
    return refuse({Refused::kRunIsOver, "the run is over"}, [this, id] {
      know_end_.insert(id);
      tell_busy();  // last: the process may end then
    });
  }
  const Peer& peer = peers_[id];
  if (peer.session != nullptr && peer.session->name().link != asked.replaces) {
    const std::lock_guard lock(mutex_);
    if (members_[id].incarnation >= asked.self.incarnation) {
      return refuse(
          {Refused::kComeAgain, "the coordinator still has a link with this node; it ends after the liveness limit"});
    }
  }
  member.up = true;
  end_link(id);
  know(member);
  Frame welcome{FrameKind::welcome, encode_payload(Welcome{id, run_, heard.count(), now().count(), members()})};
  install({kCoordinator, id, asked.link, false}, connection, std::move(welcome))->start();
  tell_all(member);
}

}  // namespace dipaco

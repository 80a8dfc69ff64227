#include "backends/gloo/network/admission.hpp"

#include <utility>

#include "backends/gloo/meeting/local_address.hpp"
#include "core/base/error.hpp"

namespace dipaco {

std::optional<Refused> refusal(const Join& asked, const std::string& from, const JoinTerms& ours) {
  const auto usage = static_cast<std::int32_t>(ExitStatus::usage);
  if (asked.version != ours.version) {
    return Refused{usage, "this is version " + asked.version + ", the coordinator's is " + ours.version +
                              "; run the same dipaco-run everywhere"};
  }
  if (asked.config_hash != ours.config_hash) {
    return Refused{usage, "this node's configuration has the hash " + asked.config_hash + ", the coordinator's " +
                              ours.config_hash + "; start both with the same run file, --set and prepared data"};
  }
  if (!asked.run.empty() && asked.run != ours.run) {
    return Refused{usage, "this node's folder holds the state of run " + asked.run + ", the coordinator's run is " +
                              ours.run + "; remove the folder's state, or name another --out"};
  }
  if (is_loopback(asked.self.host) && !is_loopback(from)) {
    return Refused{usage, "this node says that it is reached at " + asked.self.host +
                              ", which leads nowhere from other machines; name the network with --interface"};
  }
  if (asked.self.role == Role::coordinator) return Refused{usage, "the run has a coordinator; choose another --role"};
  return std::nullopt;
}

Admission::Admission(NetworkShared& shared, Links& links, Attendance& attendance, std::function<void()> told)
    : shared_(shared), links_(links), attendance_(attendance), told_(std::move(told)), end_(2 * shared.limit()) {}

void Admission::serve(const std::shared_ptr<Connection>& connection, const Join& asked) {
  const Seconds heard = shared_.clock.now();
  const std::string run = shared_.members.run();
  const std::string address = connection->peer().substr(0, connection->peer().rfind(':'));
  const JoinTerms ours{shared_.options.version, shared_.options.config_hash, run};
  if (const auto why = refusal(asked, address, ours)) return refuse(connection, asked, *why);
  Member member = shared_.options.registry->admit(asked.key, asked.self);
  const NodeId id = member.id;
  if (end_.begun()) {
    links_.end(id);
    return refuse(connection, asked, {Refused::kRunIsOver, "the run is over"}, [this, id] {
      end_.heard(id);
      told_();  // last: the process may end then
    });
  }
  if (is_linked(id, asked)) {
    return refuse(
        connection, asked,
        {Refused::kComeAgain, "the coordinator still has a link with this node; it ends after the liveness limit"});
  }
  member.up = true;
  links_.end(id);
  attendance_.know(member);
  const Welcome welcome{id, run, heard.count(), shared_.clock.now().count(), shared_.members.all()};
  links_.begin({kCoordinator, id, asked.link, false}, connection, Frame{FrameKind::welcome, encode_payload(welcome)})
      ->start();
  links_.tell_all(member);
}

bool Admission::is_linked(NodeId node, const Join& asked) {
  const auto& session = links_.with(node);
  if (session == nullptr || session->name().link == asked.replaces) return false;
  const auto known = shared_.members.find(node);
  return known && known->incarnation >= asked.self.incarnation;
}

void Admission::refuse(const std::shared_ptr<Connection>& connection, const Join& asked, const Refused& why,
                       std::function<void()> said) {
  shared_.note("a " + std::string(name(asked.self.role)) + " at " + connection->peer() + " was refused: " + why.why);
  asio::co_spawn(
      shared_.io,
      [connection, why]() -> Awaitable<void> { co_await connection->write(FrameKind::refused, encode_payload(why)); },
      [said = std::move(said)](const std::exception_ptr& failed) {
        if (!failed && said) said();
      });
}

void Admission::ended(NodeId node, bool left) {
  if (left) {
    end_.heard(node);
    shared_.options.registry->note_left(node);
  } else {
    end_.lost(node, steady());
  }
}

void Admission::tell_gone(NodeId node, bool left) {
  auto member = shared_.members.find(node);
  if (!member) return;
  member->up = false;
  member->left = left;
  attendance_.know(*member);
  links_.tell_all(*member);
}

void Admission::end_run() {
  end_.begin(steady());
  // A node that has joined again and not said hello yet has heard nothing of the coordinator's role.
  links_.tell_all(FrameKind::run_over);
  for (const NodeId node : owed()) {
    if (links_.with(node) != nullptr) continue;
    shared_.note(shared_.members.describe(node) + " is waited for, to hear that the run is over");
  }
}

}  // namespace dipaco

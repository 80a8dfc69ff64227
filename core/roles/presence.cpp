#include "core/roles/presence.hpp"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

/// The longest interval between hellos, in liveness.limits.
constexpr double kLongest = 6;
/// Transfers that a node names when it is asked how far it is.
constexpr std::size_t kMostNamed = 64;

}  // namespace

Presence::Presence(const RunPlan& plan, Seams seams, const NodeSelf& self, std::function<void(Hello&)> say)
    : plan_(plan), seams_(seams), self_(self), say_(std::move(say)), interval_(plan.config.liveness.period) {}

void Presence::greet(bool asked) {
  Hello hello{.role = self_.role,
              .incarnation = seams_.transport.incarnation(),
              .site = self_.site,
              .machine = self_.machine,
              .speed = self_.speed.value,
              .config_hash = plan_.config_hash,
              .prepared_hash = plan_.prepared_hash,
              .arithmetic = plan_.learner->trainer().description(),
              .asked = asked};
  say_(hello);
  seams_.transport.send(kCoordinator, make_message(std::move(hello)));
}

std::optional<Incoming> Presence::receive(Seconds timeout) {
  const Seconds until = seams_.compute.now() + timeout;
  while (true) {
    const Seconds now = seams_.compute.now();
    if (greet_at_ && *greet_at_ <= now) {
      greet_at_.reset();
      greet();
      // What is lost is told within a limit, unless both the coordinator and the way there were away meanwhile.
      if (lost_since_) greet_at_ = now + 2 * plan_.config.liveness.limit;
    }
    std::optional<Seconds> wait;
    if (timeout >= Seconds(0)) wait = std::max(until - now, Seconds(0));
    if (greet_at_) wait = wait ? std::min(*wait, *greet_at_ - now) : *greet_at_ - now;
    auto incoming = seams_.transport.receive(wait.value_or(Seconds(-1)));
    if (incoming && !settle(*incoming)) return incoming;
    if (!incoming && timeout >= Seconds(0) && seams_.compute.now() >= until) return std::nullopt;
  }
}

bool Presence::settle(const Incoming& incoming) {
  if (const auto* lost = std::get_if<PeerLost>(&incoming)) {
    if (lost->node != kCoordinator) return false;
    lost_coordinator();
    return true;
  }
  if (std::holds_alternative<Notice>(incoming)) return false;
  const auto& envelope = std::get<Envelope>(incoming);
  if (!std::holds_alternative<HowFar>(envelope.message.body)) ++received_;
  arrivals_.note(envelope);
  if (envelope.from != kCoordinator) return false;
  lost_since_.reset();
  interval_ = plan_.config.liveness.period;
  if (const auto* question = std::get_if<HowFar>(&envelope.message.body)) {
    say_how_far(*question);
    return true;
  }
  if (!std::holds_alternative<WhoIsThere>(envelope.message.body)) return false;
  greet_at_.reset();
  greet(true);
  return true;
}

void Presence::say_how_far(const HowFar& question) const {
  InMotion motion = seams_.transport.in_motion();
  Movement movement{received_, motion.moves, std::move(motion.under_way), question.for_person};
  if (movement.under_way.size() > kMostNamed) movement.under_way.resize(kMostNamed);
  seams_.transport.send(kCoordinator, make_message(std::move(movement)));
}

void Presence::lost_coordinator() {
  const Seconds now = seams_.compute.now();
  if (!lost_since_) lost_since_ = now;
  if (now >= *lost_since_ + plan_.config.liveness.deadline) {
    throw RunError(static_cast<int>(ExitStatus::peers_lost),
                   std::string(name(self_.role)) + " " + std::to_string(index(seams_.transport.self())) +
                       " has not heard of the coordinator since " + format_number(lost_since_->count()) +
                       " s; start the coordinator again");
  }
  greet_at_ = now + interval_;
  interval_ = std::min(2 * interval_, kLongest * plan_.config.liveness.limit);
}

}  // namespace dipaco

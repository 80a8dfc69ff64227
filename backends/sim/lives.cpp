#include "backends/sim/lives.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "backends/sim/engine/clock.hpp"
#include "backends/sim/engine/hosts_by_name.hpp"
#include "core/base/random.hpp"

namespace dipaco {

namespace sg = simgrid::s4u;

namespace {

/// The disk of a node's host: one of the scenario's rate, else the platform's own first one; null: it costs no time.
/// Nodes of one host share it.
sg::Disk* disk_of(sg::Host& host, BytesPerSecond rate) {
  const std::string own = host.get_name() + "-disk-of-its-nodes";
  const auto disks = host.get_disks();
  const auto made = std::ranges::find(disks, own, [](const sg::Disk* disk) { return disk->get_name(); });
  if (made != disks.end()) return *made;
  if (rate.value <= 0) return disks.empty() ? nullptr : disks.front();
  sg::Disk* const disk = host.create_disk(own, rate.value, rate.value);
  disk->seal();
  return disk;
}

}  // namespace

Lives::Lives(const Placement& placement, const World& world, Body body)
    : network_(world.network),
      end_(world.end),
      alarms_(world.alarms),
      log_(world.log),
      pool_(world.pool),
      seed_(world.seed),
      body_(std::move(body)) {
  const HostsByName hosts(*sg::Engine::get_instance());
  for (const PlacedNode& node : placement.nodes) {
    sg::Host* const host = hosts.at(node.host);
    SimStorage storage(disk_of(*host, node.charges.disk), [this, id = node.id] { network_.hold(id); });
    lives_.push_back(std::make_unique<NodeLife>(NodeLife{.node = node, .host = host, .storage = std::move(storage)}));
    on_host_[lives_.back()->host].push_back(lives_.back().get());
  }
}

void Lives::begin_all() {
  for (const auto& life : lives_) {
    if (life->host->is_on()) begin(*life);
  }
}

void Lives::begin_if_possible(NodeLife& life) {
  if (clock_now() < life.ready_at) return;
  if (!end_.over() && !life.gone && life.host->is_on() && !network_.up(life.node.id)) begin(life);
}

void Lives::begin(NodeLife& life) {
  const NodeId id = life.node.id;
  network_.revive(id);
  if (id == kCoordinator) end_.coordinator_is_back();
  life.frozen_until = {};
  life.compute = std::make_shared<SimCompute>(*life.host, life.node.speed, pool_, end_.stop_asked(),
                                              SimCompute::Hooks{.hold = [this, id] { network_.hold(id); },
                                                                .slowdown = [this, &life] { return slowdown(life); }});
  network_.tell_urgent(id, [compute = life.compute](bool waits) { compute->urgent_mail(waits); });
  record_up(life);
  life.actor = sg::Actor::create(std::string(name(life.node.role)) + "-" + std::to_string(index(id)), life.host,
                                 [this, &life, compute = life.compute] { body_(life, compute); });
}

/// Its machine has to start up first. If it goes off before that is done, the next start counts.
void Lives::host_is_on(NodeLife& life) {
  life.ready_at = clock_now() + life.node.charges.start_up;
  if (life.node.charges.start_up <= Seconds(0)) return begin_if_possible(life);
  alarms_.at(life.ready_at, [this, &life] { begin_if_possible(life); });
}

/// Log-normal with median 1: a function of seed, node and how often it has computed alone.
double Lives::slowdown(NodeLife& life) const {
  if (life.node.charges.jitter <= 0) return 1;
  const auto node = static_cast<std::uint64_t>(index(life.node.id));
  return std::exp(life.node.charges.jitter * draw_normal(seed_, Draw::machine_jitter, node, life.computations++));
}

void Lives::go_down(NodeLife& life) {
  record_down(life);
  network_.lose(life.node.id);
  life.compute = nullptr;
  life.actor = nullptr;
  if (life.node.id == kCoordinator) end_.coordinator_is_gone();
}

void Lives::thaw(NodeLife& life) {
  record_up(life);
  network_.thaw(life.node.id);
}

void Lives::kill_all() {
  for (const auto& life : lives_) {
    if (life->actor != nullptr) std::exchange(life->actor, nullptr)->kill();
  }
}

void Lives::record(EventKind kind, NodeId node) { log_.record({.time = clock_now(), .kind = kind, .node = node}); }

void Lives::record_up(NodeLife& life) {
  if (!std::exchange(life.recorded, true)) record(EventKind::node_up, life.node.id);
}

void Lives::record_down(NodeLife& life) {
  if (std::exchange(life.recorded, false)) record(EventKind::node_down, life.node.id);
}

void Lives::host_changed(const sg::Host& host) {
  for (NodeLife* const life : on_host_[&host]) {
    if (end_.over()) return;
    if (host.is_on()) {
      host_is_on(*life);
    } else if (network_.up(life->node.id)) {
      go_down(*life);
    }
  }
}

void Lives::give_notice(const std::string& host, Seconds gone_at) {
  for (const NodeLife* const life : on_host_[sg::Host::by_name(host)]) {
    if (life->compute == nullptr) continue;
    record(EventKind::notice, life->node.id);
    life->compute->notice(gone_at);
    const bool told = life->node.role == Role::worker || life->node.role == Role::evaluator;
    if (told) network_.notice(life->node.id);
  }
}

std::map<std::string, std::vector<std::byte>> Lives::model() const {
  constexpr std::string_view kFolder = "model/";
  std::map<std::string, std::vector<std::byte>> files;
  for (const auto& life : lives_) {
    for (const std::string& key : life->storage.kept().list(std::string(kFolder))) {
      files[key.substr(kFolder.size())] = *life->storage.kept().get(key);
    }
  }
  return files;
}

}  // namespace dipaco

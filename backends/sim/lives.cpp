#include "backends/sim/lives.hpp"

#include <string_view>
#include <utility>

#include "backends/sim/engine/clock.hpp"
#include "backends/sim/engine/hosts_by_name.hpp"

namespace dipaco {

namespace sg = simgrid::s4u;

Lives::Lives(const Placement& placement, SimNetwork& network, SimRunEnd& end, EventLog& log, ThreadPool* pool,
             Body body)
    : network_(network), end_(end), log_(log), pool_(pool), body_(std::move(body)) {
  const HostsByName hosts(*sg::Engine::get_instance());
  for (const PlacedNode& node : placement.nodes) {
    lives_.push_back(std::make_unique<NodeLife>(NodeLife{.node = node, .host = hosts.at(node.host)}));
    on_host_[lives_.back()->host].push_back(lives_.back().get());
  }
}

void Lives::begin_all() {
  for (const auto& life : lives_) {
    if (life->host->is_on()) begin(*life);
  }
}

void Lives::begin_if_possible(NodeLife& life) {
  if (!end_.over() && !life.gone && life.host->is_on() && !network_.up(life.node.id)) begin(life);
}

void Lives::begin(NodeLife& life) {
  const NodeId id = life.node.id;
  network_.revive(id);
  if (id == kCoordinator) end_.coordinator_is_back();
  life.frozen_until = {};
  life.compute = std::make_shared<SimCompute>(*life.host, life.node.speed, pool_, end_.stop_asked(),
                                              [this, id] { network_.hold(id); });
  network_.tell_urgent(id, [compute = life.compute](bool waits) { compute->urgent_mail(waits); });
  record_up(life);
  life.actor = sg::Actor::create(std::string(name(life.node.role)) + "-" + std::to_string(index(id)), life.host,
                                 [this, &life, compute = life.compute] { body_(life, compute); });
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
      begin_if_possible(*life);
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
  }
}

std::map<std::string, std::vector<std::byte>> Lives::model() const {
  constexpr std::string_view kFolder = "model/";
  std::map<std::string, std::vector<std::byte>> files;
  for (const auto& life : lives_) {
    for (const std::string& key : life->storage.list(std::string(kFolder))) {
      files[key.substr(kFolder.size())] = *life->storage.get(key);
    }
  }
  return files;
}

}  // namespace dipaco

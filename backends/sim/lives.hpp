#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <simgrid/s4u.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "backends/sim/compute.hpp"
#include "backends/sim/engine/alarms.hpp"
#include "backends/sim/network/network.hpp"
#include "backends/sim/node_life.hpp"
#include "backends/sim/run_end.hpp"
#include "backends/sim/scenario/placement.hpp"
#include "core/base/ids.hpp"
#include "core/events/events.hpp"

namespace dipaco {

/// The lives of all nodes: they begin with their hosts and end with them, or when somebody ends one. Records node_up,
/// node_down and notice events.
class Lives {
 public:
  /// What a node's actor does; the compute is that of this incarnation.
  using Body = std::function<void(NodeLife& life, const std::shared_ptr<SimCompute>& compute)>;

  /// What nodes live in.
  struct World {
    SimNetwork& network;
    SimRunEnd& end;
    Alarms& alarms;
    EventLog& log;
    ThreadPool* pool = nullptr;  ///< null: nothing real is to be done
    std::uint64_t seed = 1;      ///< of the machines' jitter
  };

  Lives(const Placement& placement, const World& world, Body body);
  Lives(const Lives&) = delete;
  Lives& operator=(const Lives&) = delete;
  ~Lives() = default;

  NodeLife& of(NodeId node) { return *lives_[static_cast<std::size_t>(index(node))]; }
  /// All whose host is on.
  void begin_all();
  /// Its next incarnation, where its host is on and it is neither up nor gone for good.
  void begin_if_possible(NodeLife& life);
  /// The node is lost, with its actor; the actor itself has to be ended by the caller. REQUIRES that the node is up.
  void go_down(NodeLife& life);
  /// Its peers have given it up, or will at once: it counts as down, though it is up.
  void record_down(NodeLife& life);
  void thaw(NodeLife& life);
  /// All actors end.
  void kill_all();

  /// The host has gone on or off.
  void host_changed(const simgrid::s4u::Host& host);
  /// The host will go off at `gone_at`.
  void give_notice(const std::string& host, Seconds gone_at);

  /// What nodes keep under "model/", by the name behind it.
  std::map<std::string, std::vector<std::byte>> model() const;

 private:
  void begin(NodeLife& life);
  void host_is_on(NodeLife& life);
  double slowdown(NodeLife& life) const;
  void record(EventKind kind, NodeId node);
  void record_up(NodeLife& life);

  SimNetwork& network_;
  SimRunEnd& end_;
  Alarms& alarms_;
  EventLog& log_;
  ThreadPool* pool_;
  std::uint64_t seed_;
  Body body_;
  std::vector<std::unique_ptr<NodeLife>> lives_;
  std::unordered_map<const simgrid::s4u::Host*, std::vector<NodeLife*>> on_host_;
};

}  // namespace dipaco

#include <map>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/roles/modules/gradient_relay.hpp"
#include "core/roles/presence.hpp"
#include "core/roles/roles.hpp"
#include "core/roles/supplies/shared_fetches.hpp"
#include "core/state/finite.hpp"
#include "core/state/module_files.hpp"
#include "core/state/path_values.hpp"
#include "core/state/state_files.hpp"

namespace dipaco {
namespace {

/// Keeps path states and copies of modules; its acknowledgement commits a task. A second put of a version is refused
/// (§3.2). May be the cache of its site, too.
class Store {
 public:
  Store(const RunPlan& plan, Seams seams, const NodeSelf& self)
      : plan_(plan),
        seams_(seams),
        presence_(plan, seams, self,
                  [this](Hello& hello) {
                    hello.states = states_.held();
                    hello.modules = modules_.held();
                  }),
        states_(plan, seams.storage),
        modules_(plan, seams.storage),
        shared_(seams.transport),
        relay_(plan, seams.transport, seams.archive) {}

  void run() {
    presence_.greet();
    while (!finished_) {
      auto incoming = presence_.receive(Seconds(-1));
      check(incoming.has_value(), "a wait without a limit ends with something");
      // Who is lost asks again once it is back. What a store has in hand for others, they hear of.
      if (const auto* lost = std::get_if<PeerLost>(&*incoming)) {
        shared_.lost(lost->node);
        relay_.lost(lost->node);
      }
      if (auto* envelope = std::get_if<Envelope>(&*incoming)) handle(*envelope);
    }
  }

 private:
  void handle(const Envelope& envelope) {
    const auto& [from, sent, message, took, waited] = envelope;
    if (serve_site(envelope)) return;
    if (const auto* request = std::get_if<PutPathState>(&message.body)) {
      put(from, *request);
    } else if (const auto* fetch = std::get_if<FetchPathState>(&message.body)) {
      serve(from, *fetch);
    } else if (const auto* to_copy = std::get_if<CopyPathState>(&message.body)) {
      copy(*to_copy);
    } else if (const auto* lost = std::get_if<FetchPathModule>(&message.body)) {
      serve(from, *lost);
    } else if (const auto* copy = std::get_if<PutModule>(&message.body)) {
      put(from, *copy);
    } else if (const auto* wanted = std::get_if<FetchModuleCopy>(&message.body)) {
      serve(from, *wanted);
    } else if (const auto* query = std::get_if<QueryPath>(&message.body)) {
      states_.refuse_below(query->path, query->outer_step, query->epoch);
      send(from, PathStatus{query->path, query->outer_step, query->epoch});
    } else if (const auto* release = std::get_if<Release>(&message.body)) {
      states_.release(release->released);
      modules_.release(release->released);
    } else if (const auto* bases = std::get_if<KeepVersions>(&message.body)) {
      modules_.keep_only(*bases);
    } else if (const auto* request_to_finish = std::get_if<Finish>(&message.body)) {
      finish(*request_to_finish);
    } else if (std::holds_alternative<Goodbye>(message.body)) {
      finished_ = true;
    }
  }

  /// What goes through it between the workers of its site and owners elsewhere. @returns false where it is none of that
  bool serve_site(const Envelope& envelope) {
    const Body& body = envelope.message.body;
    if (const auto* through = std::get_if<FetchThroughCache>(&body)) {
      shared_.ask(envelope.from, *through);
    } else if (const auto* values = std::get_if<ModuleValues>(&body)) {
      shared_.arrived(*values, envelope);
    } else if (const auto* gradient = std::get_if<RelayedGradient>(&body)) {
      relay_.take(envelope.from, *gradient);
    } else if (const auto* taken = std::get_if<GradientTaken>(&body)) {
      relay_.answered(envelope.from, *taken);
    } else if (const auto* sizes = std::get_if<ShardSizes>(&body)) {
      relay_.learn(*sizes);
    } else {
      return false;
    }
    return true;
  }

  void send(NodeId to, Body body) { seams_.transport.send(to, make_message(std::move(body))); }

  void put(NodeId from, const PutPathState& request) {
    const PathStateBody& state = request.state;
    const OuterStep outer_step = task_of(state).outer_step;
    const HeldState* const known = states_.find(state.path, state.version, state.inner_steps);
    const bool again = known != nullptr && known->epoch == request.epoch && known->worker == request.worker;
    // A copy from another store is of a committed state: nothing refuses it, and an older one may be needed, too.
    const bool copied = from != request.worker;
    const bool late = known != nullptr || (!copied && (states_.newest(state.path) > number(outer_step) ||
                                                       states_.refused(state.path, outer_step, request.epoch)));
    if (!copied && !again && !late && !all_finite(state)) return refuse(from, request);
    const bool instead = copied && known != nullptr && !again;  // of another attempt's, which does not count
    if (instead) states_.forget(state.path, state.version);
    if (instead || (!again && !late)) states_.keep(state, request.epoch, request.worker);
    const bool accepted = again || instead || !late;
    if (!copied)
      send(from,
           Stored{state.path, state.version, state.inner_steps, request.epoch, accepted, seams_.transport.self()});
    const HeldState* const held = states_.find(state.path, state.version, state.inner_steps);
    if (accepted && held != nullptr)
      send(kCoordinator, Committed{*held, shared_.take_ways()});  // an old copy may not be wanted any more
  }

  /// A value that is not finite would end each worker that goes on from it, and each executor that adds it.
  void refuse(NodeId worker, const PutPathState& request) {
    const PathStateBody& state = request.state;
    send(kCoordinator, StateRefused{task_of(state), request.epoch, worker});
    send(worker, Stored{state.path, state.version, state.inner_steps, request.epoch, false, seams_.transport.self()});
  }

  /// The other store takes it whatever it has of another attempt: the coordinator says that this one counts.
  void copy(const CopyPathState& wanted) {
    const HeldState* const held = states_.find(wanted.path, wanted.version);
    if (held == nullptr) return;
    send(wanted.to, PutPathState{held->epoch, held->worker, states_.read(wanted.path, wanted.version)});
  }

  /// A request for what is not here is one that is over: its sender hears so from the coordinator.
  void serve(NodeId from, const FetchPathState& fetch) {
    if (states_.find(fetch.path, fetch.version, fetch.inner_steps) == nullptr) return;
    PathStateBody state = states_.read(fetch.path, fetch.version, fetch.inner_steps);
    if (!fetch.moments) state.first_moment = state.second_moment = state.velocity = state.specific_before = {};
    send(from, PathState{std::move(state)});
  }

  void serve(NodeId from, const FetchPathModule& fetch) {
    if (states_.find(fetch.path, fetch.version) == nullptr) return;
    const PathStateBody state = states_.read(fetch.path, fetch.version);
    const auto level = static_cast<std::size_t>(fetch.module.level);
    const auto slice = plan_.layout.part(floats_of(state.parameters), fetch.module.level);
    Values part = make_values({slice.begin(), slice.end()}, plan_.charged.levels[level].size);
    send(from, PathModule{fetch.module, fetch.path, fetch.version, std::move(part)});
  }

  void put(NodeId from, const PutModule& copy) {
    Epoch& newest = epochs_[copy.module];
    const bool accepted = copy.epoch >= newest;
    if (accepted) {
      newest = copy.epoch;
      modules_.keep(copy.module, {copy.version, copy.update, copy.settled, copy.parameters, copy.velocity});
    }
    send(from, ModuleStored{copy.module, copy.version, copy.epoch, accepted});
  }

  void serve(NodeId from, const FetchModuleCopy& wanted) {
    Epoch& newest = epochs_[wanted.module];
    newest = std::max(newest, wanted.epoch);
    const auto versions = modules_.versions(wanted.module);
    for (const Version version : versions) {
      ModuleState state = modules_.read(wanted.module, version);
      send(from, ModuleCopy{wanted.module, version, wanted.epoch, version == versions.back(), state.update,
                            std::move(state.settled), std::move(state.parameters), std::move(state.velocity)});
    }
  }

  void finish(const Finish& request) {
    Finished finished;
    for (const auto& [path, version] : request.paths) {
      each_specific(path, plan_.timetable.state_version(path, version),
                    [&](ModuleId module, std::span<const float> parameters) {
                      finished.hashes.push_back({module, hash_hex(parameters)});
                      keep_module(plan_, seams_.storage, module, Version{request.version}, parameters);
                    });
    }
    for (const PathVersion& best : request.best) {
      if (best.version == request.version) continue;
      each_specific(best.path, plan_.timetable.state_version(best.path, best.version),
                    [&](ModuleId module, std::span<const float> parameters) {
                      keep_best(plan_, seams_.storage, module, Version{best.version}, parameters);
                      finished.best.push_back({module, Version{best.version}});
                    });
    }
    send(kCoordinator, std::move(finished));
  }

  /// Calls visit(module, parameters) for the path's own modules at this version, if it is here.
  template <class Visit>
  void each_specific(PathId path, std::int32_t version, Visit visit) const {
    if (!plan_.learner->learns() || (version > 0 && states_.find(path, version) == nullptr)) return;
    const auto parameters = own_parameters(plan_, version > 0 ? states_.read(path, version) : start_state(plan_, path));
    for (std::int32_t l = 0; l < plan_.topology.levels(); ++l) {
      const ModuleId module = plan_.topology.module(path, l);
      if (plan_.topology.path_specific(module)) visit(module, plan_.layout.part(std::span<const float>(parameters), l));
    }
  }

  const RunPlan& plan_;
  Seams seams_;
  Presence presence_;
  StateFiles states_;
  ModuleFiles modules_;
  SharedFetches shared_;
  GradientRelay relay_;
  std::map<ModuleId, Epoch> epochs_;  ///< the highest heard of
  bool finished_ = false;
};

}  // namespace

void run_store(const RunPlan& plan, Seams seams, const NodeSelf& self) { Store(plan, seams, self).run(); }

}  // namespace dipaco

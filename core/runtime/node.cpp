#include "core/runtime/node.hpp"

#include <utility>

#include "core/base/error.hpp"
#include "core/runtime/archive.hpp"
#include "core/runtime/deadlines.hpp"
#include "core/runtime/path_values.hpp"

namespace dipaco {
namespace {

void record(Seams seams, EventKind kind, const Evaluate& request) {
  seams.log.record({.time = seams.compute.now(),
                    .kind = kind,
                    .node = seams.transport.self(),
                    .path = request.path,
                    .outer_step = request.version});
}

bool has_specific(const RunPlan& plan, PathId path) { return specific_size(plan.topology, plan.layout, path) > 0; }

/// The path's parameters [n] at the version asked for.
std::vector<float> assemble(const RunPlan& plan, const Gathering& gathering) {
  const Evaluate& request = gathering.request;
  std::vector<float> parameters(plan.layout.size);
  if (gathering.fetched) parameters = *gathering.fetched->parameters.data;
  for (std::int32_t l = 0; l < plan.topology.levels(); ++l) {
    const ModuleId module = plan.topology.module(request.path, l);
    if (plan.topology.path_specific(module)) continue;
    const auto values = floats_of(gathering.modules.get(module, request.version));
    std::copy(values.begin(), values.end(), plan.layout.part(std::span<float>(parameters), l).begin());
  }
  return parameters;
}

/// Waits until the path's shared modules and, where it has any, its path-specific part are there; false if that is over
/// before.
bool gather(const RunPlan& plan, Seams seams, const Gathering& gathering) {
  const PathId path = gathering.request.path;
  const std::int32_t version = gathering.request.version;
  const bool specific = has_specific(plan, path);
  gathering.fetched.reset();
  gathering.state_unasked = specific;
  gathering.modules.drop_below(version);
  const auto ready = [&] {
    const auto& fetched = gathering.fetched;
    const bool state = !specific || (fetched && fetched->path == path && fetched->version == version);
    return state && gathering.modules.complete(path, version);
  };
  const auto unasked = [&] {
    return (specific && gathering.state_unasked) || gathering.modules.unasked(path, version);
  };
  Asking asking(seams.compute, plan.config.liveness, Bytes{4 * plan.charged.size});
  while (!gathering.over() && !ready()) {
    if (asking.due(unasked())) {
      if (asking.overdue()) {
        gathering.modules.forget_requests();
        gathering.state_unasked = true;
      }
      gathering.modules.note(gathering.request.owners);
      gathering.modules.request(path, version);
      if (specific && gathering.request.store != NodeId{-1} && std::exchange(gathering.state_unasked, false)) {
        seams.transport.send(gathering.request.store, make_message(FetchPathState{path, version, 0, false}));
      }
    }
    if (!ready()) gathering.receive_one(asking.wait(unasked()));
  }
  return !gathering.over();
}

}  // namespace

void evaluate_path(const RunPlan& plan, Seams seams, const Gathering& gathering) {
  check(plan.learner != nullptr, "only what is learned is evaluated");
  if (!gather(plan, seams, gathering)) return;
  const Evaluate& request = gathering.request;
  record(seams, EventKind::evaluation_started, request);
  const auto parameters = std::make_shared<const std::vector<float>>(assemble(plan, gathering));
  const auto score = std::make_shared<Score>();
  const Learner* const learner = plan.learner.get();
  const auto known = plan.archive == nullptr ? std::nullopt : plan.archive->score(request.path, request.version);
  const Flops cost{static_cast<double>(learner->evaluated_tokens(request.path).value) *
                   plan.evaluated_token_cost.value};
  const InnerSteps done = seams.compute.run(
      InnerSteps{1}, cost,
      [learner, parameters, score, known, path = request.path](InnerSteps limit, const auto& /*stop*/) {
        if (limit.value > 0) *score = known ? *known : learner->evaluate(path, *parameters);
        return limit;
      });
  if (done.value == 0) return;  // a notice came first: the coordinator gives the evaluation to another
  if (plan.archive != nullptr) plan.archive->keep(request.path, request.version, *score);
  record(seams, EventKind::evaluation_done, request);
  seams.transport.send(kCoordinator, make_message(Evaluated{request.path, request.version, score->nats, score->tokens,
                                                            score->bytes, score->documents}));
}

void run_role(const RunPlan& plan, Seams seams, const NodeSelf& self) {
  switch (self.role) {
    case Role::worker:
      return run_worker(plan, seams, self);
    case Role::executor:
      return run_executor(plan, seams, self);
    case Role::store:
      return run_store(plan, seams, self);
    case Role::evaluator:
      return run_evaluator(plan, seams, self);
    case Role::coordinator:
      break;
  }
  check(false, "the coordinator is run by run_coordinator");
}

}  // namespace dipaco

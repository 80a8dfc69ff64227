#include "core/runtime/node.hpp"

#include "core/base/error.hpp"
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
std::vector<float> assemble(const RunPlan& plan, const Evaluate& request, const ModuleCache& modules,
                            const std::optional<PathStateBody>& fetched) {
  std::vector<float> parameters(plan.layout.size);
  if (fetched) parameters = *fetched->parameters.data;
  for (std::int32_t l = 0; l < plan.topology.levels(); ++l) {
    const ModuleId module = plan.topology.module(request.path, l);
    if (plan.topology.path_specific(module)) continue;
    const auto values = floats_of(modules.get(module, request.version));
    std::copy(values.begin(), values.end(), plan.layout.part(std::span<float>(parameters), l).begin());
  }
  return parameters;
}

/// Waits until the path's shared modules and, where it has any, its path-specific part are there; false if the run
/// ends.
bool gather(const RunPlan& plan, Seams seams, const Evaluate& request, const Gathering& gathering) {
  gathering.fetched.reset();
  gathering.modules.drop_below(request.version);
  gathering.modules.request(request.path, request.version, request.executors);
  const bool specific = has_specific(plan, request.path);
  const auto fetch = [&] {
    if (!specific) return;
    seams.transport.send(request.store, make_message(FetchPathState{request.path, request.version, 0, false}));
  };
  fetch();
  const auto ready = [&] {
    const auto& fetched = gathering.fetched;
    const bool state = !specific || (fetched && fetched->path == request.path && fetched->version == request.version);
    return state && gathering.modules.complete(request.path, request.version);
  };
  const Seconds patience = answer_deadline(plan.config.liveness, Bytes{4 * plan.charged.size});
  while (!gathering.finished && !ready()) {
    if (gathering.receive_one(patience)) continue;
    gathering.modules.request_again(request.path, request.version, request.executors);
    fetch();
  }
  return !gathering.finished;
}

}  // namespace

void say_hello(const RunPlan& plan, Seams seams, const NodeSelf& self) {
  seams.transport.send(
      kCoordinator,
      make_message(Hello{.role = self.role,
                         .incarnation = seams.transport.incarnation(),
                         .site = self.site,
                         .speed = self.speed.value,
                         .config_hash = plan.config_hash,
                         .prepared_hash = plan.prepared_hash,
                         .arithmetic = plan.learner == nullptr ? "" : plan.learner->trainer().description()}));
}

void evaluate_path(const RunPlan& plan, Seams seams, const Evaluate& request, const Gathering& gathering) {
  check(plan.learner != nullptr, "only what is learned is evaluated");
  if (!gather(plan, seams, request, gathering)) return;
  record(seams, EventKind::evaluation_started, request);
  const auto parameters =
      std::make_shared<const std::vector<float>>(assemble(plan, request, gathering.modules, gathering.fetched));
  const auto score = std::make_shared<Score>();
  const Learner* const learner = plan.learner.get();
  const Flops cost{static_cast<double>(learner->evaluated_tokens(request.path).value) *
                   plan.evaluated_token_cost.value};
  const InnerSteps done = seams.compute.run(
      InnerSteps{1}, cost, [learner, parameters, score, path = request.path](InnerSteps limit, const auto& /*stop*/) {
        if (limit.value > 0) *score = learner->evaluate(path, *parameters);
        return limit;
      });
  if (done.value == 0) return;  // a notice came first: the coordinator gives the evaluation to another
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

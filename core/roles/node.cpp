#include "core/roles/node.hpp"

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "core/base/error.hpp"
#include "core/plan/job_cost.hpp"
#include "core/state/archive.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {
namespace {

/// @param path  -1: of no path
void record(Seams seams, EventKind kind, std::int32_t version, PathId path = PathId{-1}) {
  seams.log.record(
      {.time = seams.compute.now(), .kind = kind, .node = seams.transport.self(), .path = path, .version = version});
}

/// Whether a part of the path's parameters is its own, and not that of the prepared start.
bool needs_state(const RunPlan& plan, const Evaluate& request) {
  return specific_size(plan.topology, plan.charged, request.path) > 0 &&
         plan.timetable.state_version(request.path, request.version) > 0;
}

/// The path's parameters [n] at the version asked for; none where nothing is learned.
std::vector<float> assemble(const RunPlan& plan, const Evaluate& request, const Supplies& supplies) {
  if (!plan.learner->learns()) return {};
  std::vector<float> parameters = needs_state(plan, request) ? own_parameters(plan, supplies.state.get())
                                                             : plan.learner->prepared().start.parameters;
  for (std::int32_t l = 0; l < plan.topology.levels(); ++l) {
    ModuleId module = plan.topology.module(request.path, l);
    if (plan.topology.path_specific(module)) continue;
    module = plan.topology.whole(module);  // of the version that is scored
    const auto values = floats_of(supplies.modules.get(module, version_in(request.base, module)));
    std::copy(values.begin(), values.end(), plan.layout.part(std::span<float>(parameters), l).begin());
  }
  return parameters;
}

/// Whose shard the evaluation is about; of routing, which is about all router documents, none.
std::optional<std::int32_t> phase_of(const RunPlan& plan, const Evaluate& request) {
  if (request.purpose == Purpose::routing) return std::nullopt;
  return plan.timetable.phase_of_version(request.version);
}

/// Waits until the path's shared modules and, where it has any, its path-specific part are there; false if that is over
/// before.
bool gather(const RunPlan& plan, const Gathering& gathering) {
  const Evaluate& request = gathering.request;
  std::optional<FetchPathState> state;
  if (needs_state(plan, request)) {
    state = {
        .path = request.path, .version = plan.timetable.state_version(request.path, request.version), .moments = false};
  }
  gathering.supplies.state.want(state, request.store);
  gathering.supplies.modules.drop_before(request.base, OuterStep{request.version});
  gathering.supplies.gather({request.path, request.base, phase_of(plan, request), true}, gathering.waiting);
  return !gathering.waiting.over();
}

/// What an evaluation comes to: for routing document by document.
struct Scored {
  Score sum;
  std::vector<float> each;
};

/// What an earlier process has computed of it; of an evaluation for routing only that it has.
std::optional<Score> known_score(const RunPlan& plan, Archive& archive, const Evaluate& request) {
  if (request.purpose != Purpose::routing) return archive.score(request);
  return archive.shards(plan.timetable.phase_of(OuterStep{request.version})) ? std::optional(Score{}) : std::nullopt;
}

std::vector<DocumentId> documents_of(const RunPlan& plan, const Evaluate& request, const ShardCache& shards) {
  const auto phase = phase_of(plan, request);
  const auto shard = phase ? shards.get(*phase, request.path) : nullptr;
  return scored_documents(plan, request.purpose, shard ? &shard->documents : nullptr);
}

}  // namespace

std::optional<Evaluated> evaluate_path(const RunPlan& plan, Seams seams, const Gathering& gathering) {
  check(plan.scores, "a run without a text scores nothing");
  if (!gather(plan, gathering)) return std::nullopt;
  const Evaluate& request = gathering.request;
  const Supplies& supplies = gathering.supplies;
  record(seams, EventKind::evaluation_started, request.version, request.path);
  const auto parameters = std::make_shared<const std::vector<float>>(assemble(plan, request, supplies));
  const auto scored = std::make_shared<Scored>();
  const auto known = known_score(plan, seams.archive, request);
  const auto documents = std::make_shared<const std::vector<DocumentId>>(documents_of(plan, request, supplies.shards));
  const Learner* const learner = plan.learner.get();
  const Flops cost = evaluation_cost(plan, request.purpose, *documents);
  const Work work = [learner, parameters, scored, known, documents, purpose = request.purpose](
                        InnerSteps limit, const std::atomic<bool>& /*stop*/) {
    if (limit.value == 0) return limit;
    if (known) {
      scored->sum = *known;
    } else if (purpose == Purpose::routing) {
      scored->each = learner->score_router_documents(*parameters);
    } else {
      scored->sum = learner->score(*documents, *parameters);
    }
    return limit;
  };
  if (seams.compute.run(InnerSteps{1}, cost, work, std::nullopt).value == 0)
    return std::nullopt;  // a notice came first
  record(seams, EventKind::evaluation_done, request.version, request.path);
  Evaluated answer{.path = request.path, .version = request.version, .purpose = request.purpose};
  if (request.purpose == Purpose::routing) {
    answer.by_document = make_values(std::move(scored->each), router_documents(plan));
  } else {
    seams.archive.keep(request, scored->sum);
    std::tie(answer.nats, answer.tokens, answer.bytes, answer.documents) =
        std::tuple(scored->sum.nats, scored->sum.tokens, scored->sum.bytes, scored->sum.documents);
  }
  seams.transport.send(kCoordinator, make_message(answer));
  return answer;
}

void fit_router(const RunPlan& plan, Seams seams, const FitRouter& request) {
  const auto router = std::make_shared<std::string>();
  const bool known = seams.archive.shards(request.phase).has_value();
  if (known) *router = seams.archive.router(request.phase);
  const Learner* const learner = plan.learner.get();
  const Work work = [learner, router, labels = request.labels, known](InnerSteps limit,
                                                                      const std::atomic<bool>& /*stop*/) {
    if (limit.value > 0 && !known) *router = learner->fit_router(floats_of(labels));
    return limit;
  };
  const std::int32_t version = number(plan.timetable.begin(request.phase));
  record(seams, EventKind::fitting_started, version);
  if (seams.compute.run(InnerSteps{1}, router_fit_cost(plan), work, std::nullopt).value == 0) return;
  record(seams, EventKind::fitting_done, version);
  seams.transport.send(kCoordinator, make_message(RouterFitted{request.phase, std::move(*router)}));
}

void route_documents(const RunPlan& plan, Seams seams, const RouteDocuments& request) {
  const auto paths = std::make_shared<std::vector<float>>();
  const bool known = seams.archive.shards(request.phase).has_value();
  const Learner* const learner = plan.learner.get();
  const Work work = [learner, paths, request, known](InnerSteps limit, const std::atomic<bool>& /*stop*/) {
    if (limit.value > 0 && !known) *paths = learner->route(request.router, request.first, request.count);
    return limit;
  };
  const std::int32_t version = number(plan.timetable.begin(request.phase));
  record(seams, EventKind::routing_started, version);
  if (seams.compute.run(InnerSteps{1}, routing_cost(plan, request.count), work, std::nullopt).value == 0) return;
  record(seams, EventKind::routing_done, version);
  const auto numbers = static_cast<std::uint64_t>(request.count * plan.config.routing.overlap);
  seams.transport.send(kCoordinator, make_message(DocumentsRouted{request.phase, request.first,
                                                                  make_values(std::move(*paths), numbers)}));
}

void say_leaving(Seams seams) {
  seams.transport.send(kCoordinator, make_message(TaskDone{.id = {PathId{-1}, kNoOuterStep}, .leaving = true}));
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

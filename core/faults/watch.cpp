#include "core/faults/watch.hpp"

#include <concepts>
#include <optional>
#include <type_traits>

namespace dipaco {
namespace {

/// Whose work a message is about.
struct Place {
  PathId path{-1};
  OuterStep outer_step = kNoOuterStep;
};

/// Version v belongs to the outer step that makes it; what was handed back in the middle of one to that one.
Place of_version(PathId path, std::int32_t version, std::int32_t inner_steps = 0) {
  return {path, OuterStep{inner_steps > 0 ? version : version - 1}};
}

/// In rounds; where modules count for themselves it is a number of that kind.
Place of_module(Version version) { return {PathId{-1}, OuterStep{number(version) - 1}}; }

template <class M, class... Of>
concept OneOf = (std::same_as<M, Of> || ...);

struct FindPlace {
  template <OneOf<Task, TaskDone> M>
  std::optional<Place> operator()(const M& m) const {
    return Place{m.id.path, m.id.outer_step};
  }
  template <OneOf<OuterGradient, GradientsLost, GradientDoubted, StateRefused, MakeGradients, GradientsMade> M>
  std::optional<Place> operator()(const M& m) const {
    return Place{m.task.path, m.task.outer_step};
  }
  template <OneOf<PutPathState, PathState, Committed> M>
  std::optional<Place> operator()(const M& m) const {
    return of_version(m.state.path, m.state.version, m.state.inner_steps);
  }
  template <OneOf<FetchPathState, Stored> M>
  std::optional<Place> operator()(const M& m) const {
    return of_version(m.path, m.version, m.inner_steps);
  }
  template <OneOf<FetchPathModule, PathModule, Evaluate, Evaluated> M>
  std::optional<Place> operator()(const M& m) const {
    return of_version(m.path, m.version);
  }
  template <OneOf<FetchModule, FetchFailed, ModuleValues, PutModule, ModuleCopy, ModuleReady> M>
  std::optional<Place> operator()(const M& m) const {
    return of_module(m.version);
  }
  std::optional<Place> operator()(const RelayedGradient& m) const { return (*this)(m.gradient); }
  std::optional<Place> operator()(const GradientSum& m) const { return of_module(Version{m.base.number + 1}); }
  std::optional<Place> operator()(const FetchThroughCache& m) const { return of_module(m.wanted.version); }
  template <OneOf<QueryPath, PathStatus> M>
  std::optional<Place> operator()(const M& m) const {
    return Place{m.path, m.outer_step};
  }
  template <class M>
  std::optional<Place> operator()(const M& /*about no task*/) const {
    return std::nullopt;
  }
};

template <class... M>
bool is_any(const Message& message) {
  return (std::holds_alternative<M>(message.body) || ...);
}

void move_to(Moment& moment, const Message& message) {
  const auto place = std::visit(FindPlace{}, message.body);
  if (!place) return;
  if (index(place->path) >= 0) moment.path = place->path;  // a module's message belongs to the path that it came for
  moment.outer_step = place->outer_step;
}

}  // namespace

bool Watch::is_same_task(const Message& message) const {
  const auto& task = std::get<Task>(message.body).id;
  return at_.stage != FaultStage::any && at_.path == task.path && at_.outer_step == task.outer_step;
}

void Watch::came(const Message& message) {
  if (is_any<Finish, Goodbye>(message)) {
    at_ = {.stage = FaultStage::finishing};
  } else if (is_any<Task>(message)) {
    if (is_same_task(message)) return;  // it only says where things are
    at_ = {.stage = FaultStage::gathering};
    move_to(at_, message);
  } else if (is_any<Evaluate, MakeGradients>(message)) {
    at_ = {.stage = FaultStage::evaluating};
    move_to(at_, message);
  } else if (is_any<FitRouter, RouteDocuments>(message)) {
    at_ = {.stage = FaultStage::evaluating};  // of all paths, between two outer steps
  } else if (role_ != Role::worker && role_ != Role::evaluator) {
    // Those do one thing until it is done; what comes meanwhile belongs to it.
    move_to(at_, message);
  }
}

Moment Watch::leaves(const Message& message) {
  if (is_any<Finish, Finished, Goodbye>(message)) at_ = {.stage = FaultStage::finishing};
  if (is_any<PutPathState>(message)) at_.stage = FaultStage::storing;
  if (is_any<OuterGradient, RelayedGradient>(message)) at_.stage = FaultStage::sending;
  Moment moment = at_;
  // A request for a module says less than the task that it is made for.
  if (!is_any<FetchModule, FetchThroughCache, FetchPathState>(message)) move_to(moment, message);
  if (is_any<Hello>(message)) moment.stage = FaultStage::hello;
  if (is_any<Task>(message)) moment.stage = FaultStage::assigning;
  if (is_any<ModuleValues, PutModule, ModuleCopy, PathState, PathModule>(message)) moment.stage = FaultStage::sending;
  return moment;
}

void Watch::sent(const Message& message) {
  if (is_any<TaskDone, Evaluated, RouterFitted, DocumentsRouted, GradientsMade>(message)) at_ = {};
}

void Watch::computes() {
  if (at_.stage == FaultStage::gathering) at_.stage = FaultStage::computing;
}

Moment Watch::writes(const std::string& key) const {
  Moment moment = at_;
  moment.writing = true;
  moment.stepping = role_ == Role::executor && key.starts_with("modules/");
  return moment;
}

}  // namespace dipaco

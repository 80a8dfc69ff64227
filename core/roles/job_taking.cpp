#include "core/roles/job_taking.hpp"

#include <utility>

#include "core/roles/gradient_making.hpp"
#include "core/roles/node.hpp"

namespace dipaco {

bool JobTaking::take(Body& body) {
  if (auto* evaluation = std::get_if<Evaluate>(&body)) {
    take_gathering(std::move(*evaluation));
  } else if (auto* gradients = std::get_if<MakeGradients>(&body)) {
    take_gathering(std::move(*gradients));
  } else if (auto* fit = std::get_if<FitRouter>(&body)) {
    next_ = std::move(*fit);
  } else if (auto* route = std::get_if<RouteDocuments>(&body)) {
    next_ = std::move(*route);
  } else {
    return false;
  }
  return true;
}

template <class Request>
void JobTaking::take_gathering(Request request) {
  supplies_.modules.note(request.owners);
  auto* const same = at_hand_ && !void_ ? std::get_if<Request>(&*at_hand_) : nullptr;
  if (same == nullptr || !is_same(request, *same)) {
    next_ = std::move(request);
    return;
  }
  supplies_.state.kept_at(request.store);
  *same = std::move(request);
}

void JobTaking::said_hello() {
  void_ = true;
  next_.reset();
}

/// What was answered while the coordinator was away is asked for again: it is answered again, and not computed.
void JobTaking::evaluate(const Evaluate& request, const Waiting& waiting) {
  const bool known = answered_ && is_same(request, answered_->first) && request.base == answered_->first.base;
  if (known) return seams_.transport.send(kCoordinator, make_message(answered_->second));
  const auto answer = evaluate_path(plan_, seams_, {request, supplies_, waiting});
  if (answer) answered_ = {request, *answer};
}

void JobTaking::do_next(const Waiting& waiting) {
  JobRequest job = *std::exchange(next_, std::nullopt);
  if (const auto* fit = std::get_if<FitRouter>(&job)) return fit_router(plan_, seams_, *fit);
  if (const auto* route = std::get_if<RouteDocuments>(&job)) return route_documents(plan_, seams_, *route);
  at_hand_ = std::move(job);
  void_ = false;
  const auto over = [&] { return next_ || void_ || seams_.compute.leaving() || waiting.over(); };
  if (const auto* evaluation = std::get_if<Evaluate>(&*at_hand_)) {
    evaluate(*evaluation, {over, waiting.receive_one});
  } else {
    const auto& gradients = std::get<MakeGradients>(*at_hand_);
    make_gradients(plan_, seams_, {gradients, supplies_, gradients_, {over, waiting.receive_one}});
  }
  at_hand_.reset();
}

}  // namespace dipaco

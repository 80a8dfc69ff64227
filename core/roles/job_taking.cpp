#include "core/roles/job_taking.hpp"

#include <utility>

#include "core/roles/node.hpp"

namespace dipaco {

bool JobTaking::take(Body& body) {
  if (auto* request = std::get_if<Evaluate>(&body)) {
    take(std::move(*request));
  } else if (auto* fit = std::get_if<FitRouter>(&body)) {
    next_ = std::move(*fit);
  } else if (auto* route = std::get_if<RouteDocuments>(&body)) {
    next_ = std::move(*route);
  } else {
    return false;
  }
  return true;
}

void JobTaking::take(Evaluate request) {
  supplies_.modules.note(request.owners);
  if (!evaluation_ || void_ || !same_evaluation(request, *evaluation_)) {
    next_ = std::move(request);
    return;
  }
  supplies_.state.kept_at(request.store);
  *evaluation_ = std::move(request);
}

void JobTaking::said_hello() {
  void_ = true;
  next_.reset();
}

void JobTaking::do_next(const Waiting& waiting) {
  JobRequest job = *std::exchange(next_, std::nullopt);
  if (const auto* fit = std::get_if<FitRouter>(&job)) return fit_router(plan_, seams_, *fit);
  if (const auto* route = std::get_if<RouteDocuments>(&job)) return route_documents(plan_, seams_, *route);
  evaluation_ = std::move(std::get<Evaluate>(job));
  void_ = false;
  const auto over = [&] { return next_ || void_ || seams_.compute.leaving() || waiting.over(); };
  evaluate_path(plan_, seams_, {*evaluation_, supplies_, {over, waiting.receive_one}});
  evaluation_.reset();
}

}  // namespace dipaco

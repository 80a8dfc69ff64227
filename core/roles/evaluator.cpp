#include <utility>

#include "core/roles/module_cache.hpp"
#include "core/roles/node.hpp"
#include "core/roles/presence.hpp"
#include "core/roles/roles.hpp"

namespace dipaco {
namespace {

/// A worker's evaluation without its training.
class Evaluator {
 public:
  Evaluator(const RunPlan& plan, Seams seams, const NodeSelf& self)
      : plan_(plan),
        seams_(seams),
        presence_(plan, seams, self,
                  [this](Hello& hello) {
                    // The coordinator that this is said to gives an evaluation that it had given before again.
                    void_ = true;
                    next_.reset();
                    shards_.forget_requests();
                    hello.occupied = false;
                  }),
        modules_(plan, seams.transport),
        shards_(plan, seams.transport) {}

  void run() {
    presence_.greet();
    while (!finished_) {
      if (!next_ && noticed_) return say_leaving(seams_);
      if (!next_) {
        receive_one(Seconds(-1));
        continue;
      }
      const JobRequest job = *std::exchange(next_, std::nullopt);
      do_job(plan_, seams_, job, [this](const Evaluate& request) { evaluate(request); });
      if (seams_.compute.leaving() && !finished_) say_leaving(seams_);
    }
  }

 private:
  void evaluate(const Evaluate& request) {
    request_ = request;
    evaluating_ = true;
    void_ = false;
    evaluate_path(plan_, seams_,
                  {modules_, shards_, request_, fetched_, state_unasked_,
                   [this] { return finished_ || next_ || void_ || seams_.compute.leaving(); },
                   [this](Seconds timeout) { receive_one(timeout); }});
    evaluating_ = false;
  }

  void receive_one(Seconds timeout) {
    auto incoming = presence_.receive(timeout);
    if (!incoming) return;
    if (const auto* lost = std::get_if<PeerLost>(&*incoming)) {
      modules_.lost(lost->node);
      if (evaluating_ && lost->node == request_.store) state_unasked_ = true;
      return;
    }
    if (std::holds_alternative<Notice>(*incoming)) {
      noticed_ = true;
      return;
    }
    handle(std::get<Envelope>(*incoming).message.body);
  }

  void handle(Body& body) {
    if (auto* values = std::get_if<ModuleValues>(&body)) {
      modules_.arrived(*values);
    } else if (auto* state = std::get_if<PathState>(&body)) {
      fetched_ = std::move(state->state);
    } else if (auto* request = std::get_if<Evaluate>(&body)) {
      modules_.note(request->owners);
      if (!evaluating_ || void_ || !same_evaluation(*request, request_)) {
        next_ = std::move(*request);
        return;
      }
      state_unasked_ = state_unasked_ || request->store != request_.store;
      request_ = std::move(*request);
    } else if (auto* fit = std::get_if<FitRouter>(&body)) {
      next_ = std::move(*fit);
    } else if (auto* route = std::get_if<RouteDocuments>(&body)) {
      next_ = std::move(*route);
    } else if (auto* shard = std::get_if<ShardDocuments>(&body)) {
      shards_.arrived(*shard);
    } else if (auto* owners = std::get_if<Owners>(&body)) {
      modules_.note(owners->owners);
    } else if (std::holds_alternative<Goodbye>(body)) {
      finished_ = true;
    }
  }

  const RunPlan& plan_;
  Seams seams_;
  Presence presence_;
  ModuleCache modules_;
  ShardCache shards_;
  Evaluate request_;  ///< that is worked on
  bool evaluating_ = false;
  bool void_ = false;  ///< said hello since: the coordinator gives it anew, or to another
  std::optional<JobRequest> next_;
  std::optional<PathStateBody> fetched_;
  bool state_unasked_ = false;
  bool noticed_ = false;
  bool finished_ = false;
};

}  // namespace

void run_evaluator(const RunPlan& plan, Seams seams, const NodeSelf& self) { Evaluator(plan, seams, self).run(); }

}  // namespace dipaco

#include <utility>
#include <variant>

#include "core/roles/job_taking.hpp"
#include "core/roles/node.hpp"
#include "core/roles/presence.hpp"
#include "core/roles/roles.hpp"
#include "core/roles/supplies/supplies.hpp"

namespace dipaco {
namespace {

/// A worker's jobs without its training.
class Evaluator {
 public:
  Evaluator(const RunPlan& plan, Seams seams, const NodeSelf& self)
      : seams_(seams),
        presence_(plan, seams, self, [this](Hello& /*hello*/) { say_what_is_in_hand(); }),
        supplies_(plan, seams.transport, seams.compute),
        gradients_(plan, seams.transport),
        jobs_(plan, seams, supplies_, gradients_) {}

  void run() {
    presence_.greet();
    while (!finished_) {
      if (jobs_.waits()) {
        jobs_.do_next({[this] { return finished_; }, [this](Seconds timeout) { receive_one(timeout); }});
        if (seams_.compute.leaving() && !finished_) say_leaving(seams_);
      } else if (noticed_ && !seams_.compute.gone_at()) {
        return say_leaving(seams_);
      } else {
        receive_one(Seconds(-1));
      }
    }
  }

 private:
  void say_what_is_in_hand() {
    jobs_.said_hello();
    supplies_.shards.forget_requests();
  }

  void receive_one(Seconds timeout) {
    auto incoming = presence_.receive(timeout);
    if (!incoming) return;
    if (const auto* lost = std::get_if<PeerLost>(&*incoming)) {
      supplies_.lost(lost->node);
      gradients_.lost(lost->node);
    } else if (std::holds_alternative<Notice>(*incoming)) {
      noticed_ = true;
    } else {
      handle(std::get<Envelope>(*incoming).message.body);
    }
  }

  void handle(Body& body) {
    if (supplies_.take(body) || jobs_.take(body)) return;
    if (std::holds_alternative<Goodbye>(body)) finished_ = true;
  }

  Seams seams_;
  Presence presence_;
  Supplies supplies_;
  SentGradients gradients_;  ///< it is asked for none, but could do any job
  JobTaking jobs_;
  bool noticed_ = false;
  bool finished_ = false;
};

}  // namespace

void run_evaluator(const RunPlan& plan, Seams seams, const NodeSelf& self) { Evaluator(plan, seams, self).run(); }

}  // namespace dipaco

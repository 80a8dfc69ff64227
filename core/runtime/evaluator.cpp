#include <utility>

#include "core/runtime/module_cache.hpp"
#include "core/runtime/node.hpp"
#include "core/runtime/roles.hpp"

namespace dipaco {
namespace {

/// A worker's evaluation without its training.
class Evaluator {
 public:
  Evaluator(const RunPlan& plan, Seams seams) : plan_(plan), seams_(seams), modules_(plan, seams.transport) {}

  void run() {
    while (!finished_) {
      receive_one(Seconds(-1));
      if (const auto request = std::exchange(evaluate_, std::nullopt)) {
        evaluate_path(plan_, seams_, *request,
                      {modules_, fetched_, finished_, [this](Seconds timeout) { return receive_one(timeout); }});
      }
    }
  }

 private:
  bool receive_one(Seconds timeout) {
    auto incoming = seams_.transport.receive(timeout);
    if (!incoming) return false;
    auto* const envelope = std::get_if<Envelope>(&*incoming);
    if (envelope == nullptr) return true;  // what this evaluator waits for it asks for again
    Body& body = envelope->message.body;
    if (auto* values = std::get_if<ModuleValues>(&body)) modules_.arrived(*values);
    if (auto* state = std::get_if<PathState>(&body)) fetched_ = std::move(state->state);
    if (auto* request = std::get_if<Evaluate>(&body)) evaluate_ = std::move(*request);
    if (std::holds_alternative<Finish>(body)) finished_ = true;
    return true;
  }

  const RunPlan& plan_;
  Seams seams_;
  ModuleCache modules_;
  std::optional<PathStateBody> fetched_;
  std::optional<Evaluate> evaluate_;
  bool finished_ = false;
};

}  // namespace

void run_evaluator(const RunPlan& plan, Seams seams, const NodeSelf& self) {
  say_hello(plan, seams, self);
  Evaluator(plan, seams).run();
}

}  // namespace dipaco

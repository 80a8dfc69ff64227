#include "programs/dipaco_run/outputs.hpp"

#include "programs/shared/session.hpp"

namespace dipaco {

void leave_outputs(RunFacts facts, const RunPlan& plan, const RunResult& result, const std::vector<Event>& events,
                   const SharedOptions& shared, const RunFolder& folder) {
  const auto& out = folder.path();
  facts.more["backend"] = shared.backend;
  add_result(facts, plan, result);
  copy_model_files(plan, out / "model");
  leave_reports(facts, events, shared, out);
}

void leave_unfinished(RunFacts facts, const RunPlan& plan, const EarlyEnd& end, const std::vector<Event>& events,
                      const SharedOptions& shared, const RunFolder& folder) {
  facts.more["backend"] = shared.backend;
  add_unfinished(facts, plan, end.why, end.at);
  leave_reports(facts, events, shared, folder.path());
}

}  // namespace dipaco

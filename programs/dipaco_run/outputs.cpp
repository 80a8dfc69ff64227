#include "programs/dipaco_run/outputs.hpp"

#include <iostream>

#include "core/base/file.hpp"
#include "programs/shared/session.hpp"

namespace dipaco {

void leave_outputs(RunFacts facts, const RunPlan& plan, const RunResult& result, const std::vector<Event>& events,
                   const SharedOptions& shared, const RunFolder& folder) {
  const auto& out = folder.path();
  facts.more["backend"] = shared.backend;
  add_result(facts, plan, result);
  copy_model_files(plan, out / "model");
  write_outputs(facts, events, {.folder = out, .events = shared.events});
  if (shared.json) {
    std::cout << read_text(out / "summary.json");
  } else {
    print_summary(std::cout, facts, events, out);
  }
}

}  // namespace dipaco

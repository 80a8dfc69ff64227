#include "core/coordinator/known/reserves.hpp"

#include <cstddef>

#include "core/base/text.hpp"

namespace dipaco {
namespace {

/// Of more, the others are counted.
constexpr std::size_t kNamed = 20;

std::string in_words(const RunState& run, const HeldBack& held) {
  const KnownNode* const member = run.members.find(held.worker);
  return "worker " + std::to_string(index(held.worker)) +
         (member == nullptr || member->machine.empty() ? "" : " on " + member->machine) + " (" +
         human_seconds(held.task) + " a task, the outer step ends after " + human_seconds(held.left) + ")";
}

}  // namespace

void name_reserves(RunState& run) {
  std::string names;
  std::size_t others = 0;
  std::size_t named = 0;
  for (const HeldBack& held : run.queue.dispatch().held_back(run.queue.paths(), run.now())) {
    if (!run.in_reserve.emplace(held.worker, held).second) continue;
    run.seams.log.record(
        {.time = run.now(), .kind = EventKind::worker_in_reserve, .node = held.worker, .value = held.task.count()});
    if (++named > kNamed) {
      ++others;
    } else {
      names += (names.empty() ? "" : ", ") + in_words(run, held);
    }
  }
  if (names.empty() || !run.options.note) return;
  run.options.note("in reserve: " + names + (others > 0 ? " and " + std::to_string(others) + " more" : ""));
}

void called_up(RunState& run, NodeId worker) {
  if (run.in_reserve.erase(worker) == 0) return;
  run.seams.log.record({.time = run.now(), .kind = EventKind::worker_called_up, .node = worker});
}

std::vector<std::string> workers_in_reserve(const RunState& run) {
  std::vector<std::string> lines;
  for (const auto& [worker, held] : run.in_reserve) {
    if (lines.size() == kNamed) {
      lines.push_back("and " + std::to_string(run.in_reserve.size() - kNamed) + " more");
      break;
    }
    lines.push_back(in_words(run, held));
  }
  return lines;
}

}  // namespace dipaco

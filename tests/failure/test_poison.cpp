// States that are not finite: of one machine once, of one for ever, of all.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <mutex>
#include <set>

#include "backends/loopback/run.hpp"
#include "core/base/error.hpp"
#include "core/faults/parse.hpp"
#include "core/report/report.hpp"
#include "core/state/refusals.hpp"
#include "tests/failure/small_world.hpp"
#include "tests/support/made_up_run.hpp"
#include "tests/support/toy_trainer.hpp"

namespace dipaco::testing {
namespace {

enum class Where : std::uint8_t { parameters, first_moment, second_moment, loss };

/// Spoils what one value of the state is after inner steps, in so many calls from the `first` one on.
class SpoiltTrainer : public ToyTrainer {
 public:
  SpoiltTrainer(Where where, double value, int first, int calls)
      : where_(where), value_(value), first_(first), left_(calls) {}
  InnerReport inner_steps(TrainState& state, const BatchSource& batches, const InnerPlan& plan,
                          const std::atomic<bool>& stop) const override {
    InnerReport report = ToyTrainer::inner_steps(state, batches, plan, stop);
    const std::lock_guard lock(mutex_);
    if (first_-- > 0 || left_-- <= 0) return report;
    const auto value = static_cast<float>(value_);
    // The first parameter lies in a module of the first level, the last in one of the last.
    if (where_ == Where::parameters) state.parameters.front() = state.parameters.back() = value;
    if (where_ == Where::first_moment) state.first_moment.back() = value;
    if (where_ == Where::second_moment) state.second_moment.back() = value;
    if (where_ == Where::loss) report.loss_sum = value_;
    return report;
  }

 private:
  Where where_;
  double value_;
  mutable std::mutex mutex_;
  mutable int first_;
  mutable int left_;
};

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kForEver = 1'000'000;

std::int64_t count(const std::vector<Event>& events, EventKind kind) {
  return std::ranges::count(events, kind, &Event::kind);
}

struct Told {
  std::vector<std::string> notes;
  LoopbackRun run;
};

Told run_with(const RunPlan& plan, LoopbackOptions options) {
  Told told;
  options.test_clock = true;
  options.note = [&told](const std::string& text) { told.notes.push_back(text); };
  told.run = run_loopback(plan, options);
  return told;
}

std::map<std::string, Fact> summary_of(const LoopbackRun& run) { return summarize({.nodes = run.nodes}, run.events); }

}  // namespace

TEST_CASE("a state that is not finite is refused whatever is spoilt, and the run ends with the same parameters",
          "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  const std::string hash = run_loopback(made.plan(), {.workers = 3, .test_clock = true}).result.parameters_hash;
  for (const Where where : {Where::parameters, Where::first_moment, Where::second_moment, Where::loss}) {
    for (const double value : {kNan, kInfinity, -kInfinity}) {
      INFO("place " << static_cast<int>(where) << ", value " << value);
      made.trainer = std::make_shared<SpoiltTrainer>(where, value, 5, 1);
      const Told told = run_with(made.plan(), {.workers = 3, .stores = 1});
      CHECK(told.run.result.parameters_hash == hash);
      CHECK(count(told.run.events, EventKind::state_refused) == 1);
      CHECK(count(told.run.events, EventKind::node_down) == 0);
      CHECK(count(told.run.events, EventKind::worker_set_aside) == 0);
      REQUIRE(told.notes.size() == 1);
      CHECK_THAT(told.notes[0], Catch::Contains("is not finite") && Catch::Contains("outer step") &&
                                    Catch::Contains("attempt 1, by worker ") && Catch::Contains(" on node-"));
    }
  }
}

TEST_CASE("another worker does a task whose state was refused", "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  made.trainer = std::make_shared<SpoiltTrainer>(Where::parameters, kNan, 5, 1);
  const Told told = run_with(made.plan(), {.workers = 3});
  const auto& events = told.run.events;
  const auto refused = std::ranges::find(events, EventKind::state_refused, &Event::kind);
  REQUIRE(refused != events.end());
  const auto next = std::ranges::find_if(events, [&](const Event& event) {
    return event.kind == EventKind::task_assigned && event.path == refused->path &&
           event.outer_step == refused->outer_step && event.attempt == refused->attempt + 1;
  });
  REQUIRE(next != events.end());
  CHECK(next->node != refused->node);
}

TEST_CASE("a run with one worker tries a task again that it has spoilt once", "[failure]") {
  MadeUpRun made("2x2");
  const std::string hash = run_loopback(made.plan(), {.workers = 1, .test_clock = true}).result.parameters_hash;
  made.trainer = std::make_shared<SpoiltTrainer>(Where::parameters, kNan, 2, 1);
  CHECK(run_with(made.plan(), {.workers = 1}).run.result.parameters_hash == hash);
}

TEST_CASE("a machine that poisons all it makes is set aside, named, and the run goes on without it", "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  made.config.outer.steps = 8;
  const std::string hash = run_loopback(made.plan(), {.workers = 3, .test_clock = true}).result.parameters_hash;
  const FaultPlan poison = parse_faults(FaultKind::poison, "worker:0@outer_step=1,storing,for=100000s");
  const Told told = run_with(made.plan(), {.workers = 3, .evaluators = 0, .stores = 2, .faults = poison});
  CHECK(told.run.result.parameters_hash == hash);
  CHECK(count(told.run.events, EventKind::state_refused) == kRefusalsInARow);
  const auto aside = std::ranges::find(told.run.events, EventKind::worker_set_aside, &Event::kind);
  REQUIRE(aside != told.run.events.end());
  const NodeId worker{4};  // behind two stores
  CHECK(aside->node == worker);
  CHECK(std::none_of(aside, told.run.events.end(), [&](const Event& event) {
    return event.kind == EventKind::task_assigned && event.node == worker;
  }));
  REQUIRE_FALSE(told.notes.empty());
  CHECK(std::ranges::any_of(told.notes, [](const std::string& note) {
    return note.find("worker 4 on node-4 is set aside") != std::string::npos;
  }));
  const auto summary = summary_of(told.run);
  CHECK(std::get<std::int64_t>(summary.at("states_refused")) == kRefusalsInARow);
  CHECK(std::get<std::int64_t>(summary.at("workers_set_aside")) == 1);
  CHECK(std::get<std::string>(summary.at("set_aside")) == "4 (local)");
}

TEST_CASE("a coordinator that begins anew does not give tasks to who was set aside before", "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  made.config.outer.steps = 8;
  const std::string hash = run_loopback(made.plan(), {.workers = 3, .test_clock = true}).result.parameters_hash;
  FaultPlan faults = parse_faults(FaultKind::poison, "worker:0@outer_step=1,storing,for=100000s");
  for (const char* const step : {"2", "4", "6"}) {
    const auto more =
        parse_faults(FaultKind::restart, "coordinator:0@outer_step=" + std::string(step) + ",assigning,for=2s");
    faults.insert(faults.end(), more.begin(), more.end());
  }
  const Told told = run_with(made.plan(), {.workers = 3, .faults = faults});
  CHECK(told.run.result.parameters_hash == hash);
  CHECK(told.run.never_struck.empty());
  CHECK(count(told.run.events, EventKind::state_refused) == kRefusalsInARow);
  CHECK(count(told.run.events, EventKind::worker_set_aside) == 1);
}

TEST_CASE("where every machine makes a state that is not finite, the run ends and says so", "[failure]") {
  for (const std::int32_t workers : {1, 2, 5}) {
    INFO(workers << " workers");
    MadeUpRun made("2x2", "blocks:0");
    made.trainer = std::make_shared<SpoiltTrainer>(Where::parameters, kNan, 4, kForEver);
    try {
      run_with(made.plan(), {.workers = workers});
      FAIL("the run has ended");
    } catch (const RunError& error) {
      CHECK(error.exit_status() == 4);
      CHECK_THAT(error.what(),
                 Catch::Contains("is not finite on any machine") && Catch::Contains("the run has diverged"));
    }
  }
}

TEST_CASE("undisturbed runs refuse nothing, ask nobody how far he is, and send no word of it", "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  const Told told = run_with(made.plan(), {.workers = 3});
  const auto summary = summary_of(told.run);
  for (const char* const key : {"states_refused", "workers_set_aside", "messages_refused"}) {
    CHECK(std::get<std::int64_t>(summary.at(key)) == 0);
  }
  CHECK_FALSE(summary.contains("set_aside"));
  CHECK(told.notes.empty());
  for (const MessageKind kind : {MessageKind::state_refused, MessageKind::how_far, MessageKind::movement}) {
    CHECK(told.run.traffic.messages_by_kind[static_cast<std::size_t>(kind)] == 0);
  }
}

TEST_CASE("simulated, a poisoned worker changes no parameter at any time, and nothing where nothing is learned",
          "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  const RunPlan learns = made.plan();
  const RunPlan costs = made.plan_of_costs();
  const std::string hash = world_hash(learns, {});
  const std::string costs_hash = world_hash(costs, {});
  REQUIRE(hash.size() == 32);
  for (const char* const fault : {"worker:0@outer_step=1,storing,for=0.001s", "worker:1@outer_step=2,computing,for=1s",
                                  "worker:2@time=0s,for=100000s", "worker:0@outer_step=1,gathering,for=100000s"}) {
    INFO(fault);
    const FaultPlan poison = parse_faults(FaultKind::poison, fault);
    CHECK(world_hash(learns, {.faults = poison}) == hash);
    CHECK(world_hash(costs, {.faults = poison}) == costs_hash);
  }
}

}  // namespace dipaco::testing

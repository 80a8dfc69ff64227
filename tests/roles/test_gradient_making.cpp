#include <catch2/catch.hpp>
#include <limits>
#include <optional>

#include "core/roles/gradient_making.hpp"
#include "core/roles/task_work.hpp"
#include "core/state/path_values.hpp"
#include "tests/roles/kept_messages.hpp"
#include "tests/roles/scripted_node.hpp"
#include "tests/support/made_up_run.hpp"
#include "tests/support/toy_trainer.hpp"

namespace dipaco::testing {
namespace {

constexpr PathId kMadeAgain{1};
constexpr NodeId kItsStore{8};

/// Its gradients have a value that is not a number.
class BrokenGradients : public ToyTrainer {
 public:
  BatchGradient gradient(std::span<const float> parameters, const Batch& batch, InnerSteps step) const override {
    BatchGradient one = ToyTrainer::gradient(parameters, batch, step);
    one.values.front() = std::numeric_limits<float>::quiet_NaN();
    return one;
  }
};

/// A run that exchanges gradients, with modules of the paths' own.
RunPlan plan_of_gradients(MadeUpRun& made) {
  made.config.outer.policy = "gradients";
  made.config.inner.steps = 1;
  return made.plan();
}

/// A worker's parts that make the gradients of path 1's first task, which begins with the prepared start.
struct MakerOnItsOwn {
  explicit MakerOnItsOwn(RunPlan its_plan) : plan(std::move(its_plan)) {
    for (std::int32_t l = 0; l < plan.topology.levels(); ++l) {
      const ModuleId module = plan.topology.module(kMadeAgain, l);
      if (!plan.topology.path_specific(module)) request.base.push_back({module, Version{0}});
    }
    for (const BaseVersion& part : request.base) {
      request.owners.push_back({part.module, NodeId{11}, 3});
      request.modules.push_back(part.module);
    }
    supplies.modules.note(request.owners);
    supplies.modules.request(request.base);  // everyone has the prepared start
  }
  /// The task as its worker did it.
  TaskWork work_at_first() {
    const Task task{.id = request.task, .epoch = 1, .inner_steps = 1, .base = request.base};
    TaskWork work(plan, archive, {task, start_state(plan, kMadeAgain)}, supplies);
    work.run(node, std::nullopt);
    return work;
  }
  /// Makes them again, from `after` at the store.
  void make(const PathStateBody& after) {
    const auto arrives = [&](Seconds /*timeout*/) { supplies.state.arrived(after); };
    make_gradients(plan, {messages, node, storage, log, archive},
                   {request, supplies, sent, {[] { return false; }, arrives}});
  }

  RunPlan plan;
  KeptMessages messages;
  ScriptedNode node{std::deque<Incoming>{}};
  MemoryStorage storage;
  MemoryEventLog log;
  NoArchive archive;
  Supplies supplies{plan, messages, node};
  SentGradients sent{plan, messages};
  MakeGradients request{.task = {kMadeAgain, OuterStep{0}}, .store = kItsStore};
};

}  // namespace

TEST_CASE("a gradient that is made again has the bits of the first, though the state has only what is the path's own",
          "[roles]") {
  MadeUpRun made("2x2", "blocks:0");
  MakerOnItsOwn maker(plan_of_gradients(made));
  const RunPlan& plan = maker.plan;
  TaskWork first = maker.work_at_first();
  const PathStateBody after = first.take_state();
  const std::size_t specific = specific_size(plan.topology, plan.layout, kMadeAgain);
  CHECK(after.parameters.data->size() == specific);
  CHECK(after.specific_before.data->size() == specific);
  CHECK(after.velocity.data->size() == 2 * specific);  // AdamW's moments
  CHECK(after.first_moment.charged == 0);
  CHECK(after.second_moment.charged == 0);
  CHECK(after.inner_steps_total == 1);
  maker.make(after);
  const auto sent = maker.messages.take<OuterGradient>();
  REQUIRE(sent.size() == maker.request.base.size());
  for (const auto& [executor, gradient] : sent) {
    CHECK(executor == NodeId{11});
    CHECK(gradient.task == maker.request.task);
    const auto part = plan.layout.part(floats_of(first.given()), gradient.module.level);
    CHECK(gradient_floats(gradient.difference, part.size()) == std::vector<float>(part.begin(), part.end()));
  }
  const auto events = maker.log.events();
  REQUIRE(events.size() == 2);
  CHECK(events[0].kind == EventKind::remaking_started);
  CHECK(events[1].kind == EventKind::remaking_done);
}

TEST_CASE("only the gradients that are lacking are sent again, and the answer says to which owners", "[roles]") {
  MadeUpRun made("2x2");
  MakerOnItsOwn maker(plan_of_gradients(made));
  const PathStateBody after = maker.work_at_first().take_state();
  CHECK(after.parameters.charged + after.velocity.charged + after.specific_before.charged == 0);
  const ModuleId lacking = maker.request.modules.back();
  maker.request.modules = {lacking};
  maker.make(after);
  const auto sent = maker.messages.take<OuterGradient>();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].second.module == lacking);
  maker.make(after);
  const auto answers = maker.messages.take<GradientsMade>();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].second.finite);
  REQUIRE(answers[0].second.sent_to.size() == 1);
  CHECK(answers[0].second.sent_to[0].module == lacking);
  CHECK(answers[0].second.sent_to[0].epoch == 3);
}

TEST_CASE("a gradient that is not finite spoils the state of its task, and is sent to nobody when it is made again",
          "[roles]") {
  MadeUpRun made("2x2");
  const PathStateBody good = MakerOnItsOwn(plan_of_gradients(made)).work_at_first().take_state();
  CHECK_FALSE(std::isnan(good.loss_sum));
  made.trainer = std::make_shared<const BrokenGradients>();
  MakerOnItsOwn maker(plan_of_gradients(made));
  CHECK(std::isnan(maker.work_at_first().take_state().loss_sum));
  maker.make(good);
  CHECK(maker.messages.take<OuterGradient>().empty());
  maker.make(good);
  const auto answers = maker.messages.take<GradientsMade>();
  REQUIRE(answers.size() == 1);
  CHECK_FALSE(answers[0].second.finite);
  CHECK(answers[0].second.sent_to.empty());
}

TEST_CASE("a notice ends the making of gradients without an answer", "[roles]") {
  MadeUpRun made("2x2");
  MakerOnItsOwn maker(plan_of_gradients(made));
  const PathStateBody after = maker.work_at_first().take_state();
  maker.node.notice = true;
  maker.make(after);
  CHECK(maker.messages.take<GradientsMade>().empty());
}

}  // namespace dipaco::testing

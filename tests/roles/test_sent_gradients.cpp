#include <catch2/catch.hpp>

#include "core/roles/sent_gradients.hpp"
#include "core/state/path_values.hpp"
#include "tests/roles/kept_messages.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

constexpr NodeId kFirstLevel{11};
constexpr NodeId kSecondLevel{12};
constexpr NodeId kSiteCache{13};

/// A worker's part that sends, after path 0's task of this outer step. In "2x2" its modules are (0, 0) and (1, 0).
struct SenderOnItsOwn {
  RunPlan plan;
  KeptMessages sent;
  ModuleCache modules{plan, sent};
  SentGradients gradients{plan, sent};

  void own(std::int32_t level, NodeId executor) { modules.note({{{level, 0}, executor, 1}}); }
  void send(std::int32_t outer_step, float moved_by = 0, bool last = false) {
    const Version version{outer_step};
    const Task task{.id = {PathId{0}, OuterStep{outer_step}},
                    .inner_steps = 4,
                    .last = last,
                    .base = {{{0, 0}, version}, {{1, 0}, version}}};
    for (const auto& [module, its_version] : task.base) {
      modules.arrived({module, its_version, 1, start_module(plan, module)});
    }
    std::vector<float> parameters = *start_state(plan, PathId{0}).parameters.data;
    for (float& parameter : parameters) parameter += moved_by;
    gradients.send(task, make_values(std::move(parameters), plan.charged.size), modules);
  }
  /// What the coordinator hears after this loss.
  std::vector<GradientsLost> after_loss(NodeId executor) {
    gradients.lost(executor);
    std::vector<GradientsLost> told;
    for (const auto& [to, message] : sent.take<GradientsLost>()) {
      if (to == kCoordinator) told.push_back(message);
    }
    return told;
  }
};

}  // namespace

TEST_CASE("each shared module's executor gets what the task has moved it by", "[roles]") {
  const MadeUpRun made("2x2");
  SenderOnItsOwn worker{.plan = made.plan()};
  worker.own(0, kFirstLevel);
  worker.own(1, kSecondLevel);
  worker.send(0, -1);
  const auto gradients = worker.sent.take<OuterGradient>();
  REQUIRE(gradients.size() == 2);
  CHECK(gradients[0].first == kFirstLevel);
  CHECK(gradients[0].second.module == ModuleId{0, 0});
  CHECK(gradients[0].second.task == TaskId{PathId{0}, OuterStep{0}});
  CHECK(gradients[0].second.inner_steps == 4);
  CHECK(gradients[1].first == kSecondLevel);
  const auto start = *start_module(worker.plan, {0, 0}).data;
  const auto moved = gradient_floats(gradients[0].second.difference, start.size());
  CHECK(moved[0] == start[0] - (start[0] - 1));  // before - after
  CHECK(gradients[0].second.awaits == Awaits::push);
}

TEST_CASE("after its path's last task a worker expects no version, whatever the outer step", "[roles]") {
  const MadeUpRun made("2x2");
  SenderOnItsOwn worker{.plan = made.plan()};
  worker.own(0, kFirstLevel);
  worker.own(1, kSecondLevel);
  worker.send(0, -1, true);
  for (const auto& [to, gradient] : worker.sent.take<OuterGradient>()) CHECK(gradient.awaits == Awaits::no_version);
  worker.modules.request({{{0, 0}, Version{1}}});
  CHECK(worker.sent.take<FetchModule>().size() == 1);  // nobody sends it unasked
}

TEST_CASE("nothing travels of a path-specific module", "[roles]") {
  const MadeUpRun made("2x2", "blocks:0");
  SenderOnItsOwn worker{.plan = made.plan()};
  const std::int32_t levels = worker.plan.topology.levels();
  std::size_t shared = 0;
  for (std::int32_t l = 0; l < levels; ++l) {
    const ModuleId module = worker.plan.topology.module(PathId{0}, l);
    if (worker.plan.topology.path_specific(module)) continue;
    worker.modules.note({{module, kFirstLevel, 1}});
    ++shared;
  }
  REQUIRE(shared < static_cast<std::size_t>(levels));
  const Base base = [&] {
    Base all;
    for (std::int32_t l = 0; l < levels; ++l) all.push_back({worker.plan.topology.module(PathId{0}, l), Version{0}});
    return all;
  }();
  worker.modules.request(base);  // everyone has the prepared start
  worker.gradients.send({.id = {PathId{0}, OuterStep{0}}, .base = base}, start_state(worker.plan, PathId{0}).parameters,
                        worker.modules);
  CHECK(worker.sent.take<OuterGradient>().size() == shared);
}

TEST_CASE("the coordinator hears of a gradient whose executor is not known or is lost, once", "[roles]") {
  const MadeUpRun made("2x2");
  SenderOnItsOwn worker{.plan = made.plan()};
  worker.own(0, kFirstLevel);
  worker.send(1);
  const auto homeless = worker.sent.take<GradientsLost>();
  REQUIRE(homeless.size() == 1);
  CHECK(homeless[0].first == kCoordinator);
  CHECK(homeless[0].second.module == ModuleId{1, 0});
  CHECK(worker.after_loss(kSecondLevel).empty());
  const auto told = worker.after_loss(kFirstLevel);
  REQUIRE(told.size() == 1);
  CHECK(told[0].module == ModuleId{0, 0});
  CHECK(told[0].task == TaskId{PathId{0}, OuterStep{1}});
  CHECK(told[0].base == Version{1});
  CHECK(told[0].inner_steps == 4);
  CHECK(worker.after_loss(kFirstLevel).empty());
}

TEST_CASE("only a path's newest gradient for a module is remembered", "[roles]") {
  const MadeUpRun made("2x2");
  SenderOnItsOwn worker{.plan = made.plan()};
  worker.own(0, kFirstLevel);
  worker.own(1, kSecondLevel);
  worker.send(0);
  worker.send(1);
  const auto told = worker.after_loss(kFirstLevel);
  REQUIRE(told.size() == 1);
  CHECK(told[0].task.outer_step == OuterStep{1});
}

TEST_CASE("a worker that is asked says which gradients it has not sent to that owner", "[roles]") {
  const MadeUpRun made("2x2");
  SenderOnItsOwn worker{.plan = made.plan()};
  worker.own(0, kFirstLevel);
  worker.own(1, kSecondLevel);
  worker.send(1);
  worker.sent.take<OuterGradient>();
  const auto answer = [&](std::int32_t level, std::int32_t outer_step, Epoch epoch) {
    worker.gradients.answer({{level, 0}, {PathId{0}, OuterStep{outer_step}}, epoch});
    return worker.sent.take<GradientsLost>();
  };
  CHECK(answer(0, 1, 1).empty());  // on its way, or there
  const auto to_another_owner = answer(0, 1, 2);
  REQUIRE(to_another_owner.size() == 1);
  CHECK(to_another_owner[0].first == kCoordinator);
  CHECK(to_another_owner[0].second.module == ModuleId{0, 0});
  CHECK(to_another_owner[0].second.task == TaskId{PathId{0}, OuterStep{1}});
  CHECK(answer(0, 0, 1).size() == 1);  // of another task
  worker.after_loss(kSecondLevel);
  CHECK(answer(1, 1, 1).size() == 1);  // lost on its way
}

TEST_CASE("what a worker was asked of the task at hand it answers once that has ended unheard", "[roles]") {
  const MadeUpRun made("2x2");
  SenderOnItsOwn worker{.plan = made.plan()};
  worker.own(0, kFirstLevel);
  worker.own(1, kSecondLevel);
  worker.send(0);
  worker.sent.take<OuterGradient>();
  const auto asked = [](std::int32_t outer_step) {
    return GradientDoubted{{0, 0}, {PathId{0}, OuterStep{outer_step}}, 1};
  };
  worker.gradients.answer_later(asked(1));
  CHECK(worker.sent.empty());
  worker.gradients.need_no_answer();
  worker.gradients.answer_all();
  CHECK(worker.sent.empty());
  worker.gradients.answer_later(asked(0));  // which has been sent
  worker.gradients.answer_later(asked(1));
  worker.gradients.answer_all();
  const auto told = worker.sent.take<GradientsLost>();
  REQUIRE(told.size() == 1);
  CHECK(told[0].first == kCoordinator);
  CHECK(told[0].second.task == asked(1).task);
  worker.gradients.answer_all();
  CHECK(worker.sent.empty());
}

TEST_CASE("the next version of a module is awaited from its executor, not behind the last outer step", "[roles]") {
  const MadeUpRun made("2x2");  // 4 outer steps
  SenderOnItsOwn worker{.plan = made.plan()};
  worker.own(0, kFirstLevel);
  worker.own(1, kSecondLevel);
  worker.send(2);
  CHECK_FALSE(worker.modules.unasked({{{0, 0}, Version{3}}}));
  worker.send(3);
  CHECK(worker.modules.unasked({{{0, 0}, Version{4}}}));
}

TEST_CASE("where a site's cache is asked for the next version, its owner is told to push none", "[roles]") {
  MadeUpRun made("2x2");
  made.config.run.site_sums = false;
  SenderOnItsOwn worker{.plan = made.plan()};
  worker.own(0, kFirstLevel);
  worker.own(1, kSecondLevel);
  worker.modules.note(SiteCache{.store = kSiteCache, .near = {kSecondLevel}});
  worker.send(0);
  const auto ahead = worker.sent.take<FetchThroughCache>();
  REQUIRE(ahead.size() == 1);
  CHECK(ahead[0].second.wanted.version == Version{1});
  worker.send(0);
  const auto gradients = worker.sent.take<OuterGradient>();
  REQUIRE(gradients.size() == 2);
  CHECK(gradients[0].first == kFirstLevel);
  CHECK(gradients[0].second.awaits == Awaits::nothing_unasked);
  CHECK(gradients[1].second.awaits == Awaits::push);
}

TEST_CASE("a gradient for an owner elsewhere goes through the site's store, and is lost with it", "[roles]") {
  const MadeUpRun made("2x2");
  SenderOnItsOwn worker{.plan = made.plan()};
  worker.own(0, kFirstLevel);
  worker.own(1, kSecondLevel);
  worker.modules.note(SiteCache{.store = kSiteCache, .near = {kSecondLevel}});
  worker.send(0);
  const auto relayed = worker.sent.take<RelayedGradient>();
  REQUIRE(relayed.size() == 1);
  CHECK(relayed[0].first == kSiteCache);
  CHECK(relayed[0].second.owner == kFirstLevel);
  CHECK(relayed[0].second.gradient.awaits == Awaits::nothing_unasked);
  CHECK(worker.after_loss(kFirstLevel).empty());  // the store hears of that, and says what it means
  const auto lost = worker.after_loss(kSiteCache);
  REQUIRE(lost.size() == 1);
  CHECK(lost[0].module == ModuleId{0, 0});
  CHECK(worker.after_loss(kSiteCache).empty());
}

TEST_CASE("what the site's store could not pass on is reported, and not said to have been sent", "[roles]") {
  const MadeUpRun made("2x2");
  SenderOnItsOwn worker{.plan = made.plan()};
  worker.own(0, kFirstLevel);
  worker.modules.note(SiteCache{.store = kSiteCache});
  worker.send(0);
  const TaskId task{PathId{0}, OuterStep{0}};
  worker.sent.take<RelayedGradient>();
  worker.gradients.answer({{0, 0}, task, 1});
  CHECK(worker.sent.empty());  // on its way, as far as is known
  worker.gradients.lost(GradientsLost{.module = {0, 0}, .task = task});
  CHECK(worker.sent.take<GradientsLost>().size() == 1);
  worker.gradients.answer({{0, 0}, task, 1});
  CHECK(worker.sent.take<GradientsLost>().size() == 1);
}

}  // namespace dipaco::testing

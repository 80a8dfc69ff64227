#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/roles/modules/outer_stepper.hpp"
#include "core/state/path_values.hpp"
#include "tests/support/half_policy.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

constexpr ModuleId kStepped{0, 0};  // of paths 0 and 1 in 2x2
using Shares = std::map<PathId, double>;

/// Of the prepared start's parameters, and with a velocity of this.
OwnedModule module_at(const RunPlan& plan, std::int32_t version, float velocity = 0) {
  OwnedModule mine{};
  mine.version = Version{version};
  mine.parameters = start_module(plan, kStepped);
  mine.velocity = make_values(std::vector<float>(mine.parameters.data->size(), velocity), mine.parameters.charged);
  mine.sum = OuterAccumulator(mine.parameters.data->size());
  return mine;
}

Shares shares_at(const OuterStepper& stepper, ModuleId module, std::int32_t version) {
  OwnedModule mine;
  mine.version = Version{version};
  stepper.weigh(module, mine);
  return mine.contributions.shares();
}

/// What a path gives whose inner steps have moved each parameter by -`by`.
OuterGradient moved_by(const RunPlan& plan, std::int32_t path, float by) {
  const std::size_t size = plan.learner->learns() ? plan.layout.levels[0].size : 0;
  return {.module = kStepped,
          .task = {.path = PathId{path}},
          .difference = make_gradient(plan, 0, std::vector<float>(size, by), std::vector<float>(size, 0.0F))};
}

Contributions::InHand given_by(std::int32_t path, std::int32_t outer_step, double weight) {
  return {.what = {.path = PathId{path},
                   .outer_step = OuterStep{outer_step},
                   .base = Version{outer_step},
                   .inner_steps = InnerSteps{5},
                   .share = weight},
          .weight = weight,
          .sender = NodeId{path + 20}};
}

/// Outer step 0 of two paths that have moved by 1 and 2 and weigh 1/4 and 3/4: their mean is 7/4.
OwnedModule two_in_hand(const RunPlan& plan, const OuterStepper& stepper) {
  OwnedModule mine = module_at(plan, 0);
  stepper.add(mine, moved_by(plan, 1, 2), mine.parameters, 0.75);
  mine.contributions.add(given_by(1, 0, 0.75));
  stepper.add(mine, moved_by(plan, 0, 1), mine.parameters, 0.25);
  mine.contributions.add(given_by(0, 0, 0.25));
  return mine;
}

/// The norm of what has this value everywhere.
double norm_of(const RunPlan& plan, double value) {
  return value * std::sqrt(static_cast<double>(plan.layout.levels[0].size));
}

}  // namespace

TEST_CASE("in rounds the shares are the shard sizes of the paths that are drawn, over their sum", "[roles]") {
  MadeUpRun made("2x2");  // Eq. 2-3, §2.6.2
  made.config.routing.sample_paths = 0.5;
  made.config.outer.steps = 30;
  RunPlan plan = made.plan();
  plan.shard_weights = {1, 3, 4, 6};
  NoArchive archive;
  const OuterStepper stepper(plan, archive);
  int both = 0;
  int alone = 0;
  int skipped = 0;
  for (std::int32_t t = 0; t < 30; ++t) {
    const bool first = plan.timetable.trains(PathId{0}, OuterStep{t});
    const bool second = plan.timetable.trains(PathId{1}, OuterStep{t});
    CHECK(stepper.skips(kStepped, Version{t}) == (!first && !second));
    if (first && second) {
      ++both;
      CHECK(shares_at(stepper, kStepped, t) == Shares{{PathId{0}, 0.25}, {PathId{1}, 0.75}});  // 1 and 3 of 4
    } else if (first || second) {
      ++alone;
      CHECK(shares_at(stepper, kStepped, t) == Shares{{PathId{first ? 0 : 1}, 1.0}});
    } else {
      ++skipped;
    }
  }
  CHECK(both > 0);
  CHECK(alone > 0);
  CHECK(skipped > 0);
  CHECK_FALSE(stepper.skips(kStepped, Version{30}));  // the run is over
}

TEST_CASE("in rounds shares are set when a version's contributions begin, and not in their middle", "[roles]") {
  MadeUpRun made("2x2");
  made.config.routing.reshard_at = "2";
  RunPlan plan = made.plan();
  plan.shard_weights = {1, 3, 4, 6};
  NoArchive archive;
  OuterStepper stepper(plan, archive);
  stepper.learn({.phase = 1, .sizes = {1, 1, 1, 1}});
  OwnedModule mine = module_at(plan, 1);
  stepper.weigh(kStepped, mine);
  mine.contributions.add(given_by(0, 1, 0.25));
  mine.version = Version{2};
  stepper.weigh(kStepped, mine);
  CHECK(mine.contributions.shares().at(PathId{0}) == 0.25);
  mine.contributions.take();
  stepper.weigh(kStepped, mine);
  CHECK(mine.contributions.shares().at(PathId{0}) == 0.5);
}

TEST_CASE("without rounds all paths through a module share it, and keep their shares", "[roles]") {
  MadeUpRun made("2x2");
  made.config.routing.reshard_at = "2";  // an outer step, which a version is not here
  RunPlan plan = made.plan();
  plan.policy = half_policy();
  plan.shard_weights = {1, 3, 4, 6};
  NoArchive archive;
  const OuterStepper stepper(plan, archive);
  for (const std::int32_t version : {0, 3, 50}) {  // also above the number of outer steps
    CHECK(shares_at(stepper, {0, 0}, version) == Shares{{PathId{0}, 0.25}, {PathId{1}, 0.75}});
    CHECK(shares_at(stepper, {1, 0}, version) == Shares{{PathId{0}, 0.2}, {PathId{2}, 0.8}});
    CHECK_FALSE(stepper.skips(kStepped, Version{version}));
  }
  OwnedModule mine = module_at(plan, 0);
  mine.contributions.expect({{PathId{0}, 0.5}});
  stepper.weigh(kStepped, mine);
  CHECK(mine.contributions.shares() == Shares{{PathId{0}, 0.5}});
}

TEST_CASE("the shares of a later phase are of its own shards, once these are known", "[roles]") {
  MadeUpRun made("2x2");
  made.config.routing.reshard_at = "2";
  const bool equal = GENERATE(false, true);
  made.config.outer.weighting = equal ? "equal" : "shard_size";
  const RunPlan plan = made.plan();
  NoArchive archive;
  OuterStepper stepper(plan, archive);
  CHECK(stepper.knows_sizes(OuterStep{1}));
  CHECK_FALSE(stepper.knows_sizes(OuterStep{2}));
  CHECK(shares_at(stepper, kStepped, 2).empty());
  stepper.learn({.phase = 1, .sizes = {3, 1, 1, 1}});
  CHECK(stepper.knows_sizes(OuterStep{2}));
  CHECK(shares_at(stepper, kStepped, 2).at(PathId{0}) == (equal ? 0.5 : 0.75));
}

TEST_CASE("a policy sees those who give to the version in rounds, and those who still give without", "[roles]") {
  MadeUpRun made("2x2");
  made.config.outer.steps = 4;
  RunPlan plan = made.plan();
  NoArchive archive;
  const OuterStepper stepper(plan, archive);
  OwnedModule mine = module_at(plan, 3);
  stepper.weigh(kStepped, mine);
  mine.contributions.settle(PathId{1}, OuterStep{4});  // the end
  mine.contributions.add(given_by(0, 3, 0.25));
  CHECK(stepper.view(mine, Seconds(0)).version == Version{3});
  CHECK(stepper.view(mine, Seconds(0)).in_hand == 1);
  CHECK(stepper.view(mine, Seconds(0)).paths == 2);
  plan.policy = half_policy();
  CHECK(stepper.view(mine, Seconds(0)).paths == 1);
}

TEST_CASE("a step is one of the outer optimizer along the weighted mean times the policy's scale", "[roles]") {
  MadeUpRun made("2x2");
  made.config.outer.learning_rate = 0.5;
  made.config.outer.momentum = 0.5;
  const RunPlan plan = made.plan();
  NoArchive archive;
  const OuterStepper stepper(plan, archive);
  OwnedModule mine = two_in_hand(plan, stepper);
  const std::vector<float> before = *mine.parameters.data;
  stepper.step(kStepped, mine, 2);
  // The direction is 2 x 7/4 = 3.5, which is the velocity too: -0.5 x (3.5 + 0.5 x 3.5) = -2.625.
  const std::vector<float>& after = *mine.parameters.data;
  REQUIRE(after.size() == before.size());
  for (std::size_t k = 0; k < after.size(); ++k) {
    CHECK(after[k] == Approx(static_cast<double>(before[k]) - 2.625).margin(1e-6));
    CHECK(mine.velocity.data->at(k) == 3.5F);
  }
  CHECK(mine.update.norm == Approx(norm_of(plan, 3.5)));
}

TEST_CASE("a step of k paths goes the square root of k as far where outer.rescale says so", "[roles]") {
  MadeUpRun made("2x2");
  made.config.outer.rescale = "sqrt";
  const RunPlan plan = made.plan();
  NoArchive archive;
  const OuterStepper stepper(plan, archive);
  OwnedModule mine = two_in_hand(plan, stepper);
  stepper.step(kStepped, mine, 1);
  CHECK(mine.update.norm == Approx(norm_of(plan, 1.75 * std::sqrt(2.0))));
}

TEST_CASE("a step says what has made its version, and settles that", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan();
  NoArchive archive;
  const OuterStepper stepper(plan, archive);
  OwnedModule mine = two_in_hand(plan, stepper);
  const Dropped dropped{PathId{2}, OuterStep{1}, "late"};
  mine.dropped = {dropped};
  mine.update.dropped = {{PathId{3}, OuterStep{0}, "of the version before"}};
  mine.update.applied = {{PathId{3}, OuterStep{0}, Version{0}, 5, 1.0}};
  const auto taken = stepper.step(kStepped, mine, 0.5);
  REQUIRE(taken.size() == 2);
  CHECK(taken[0].sender == NodeId{20});
  CHECK(taken[1].sender == NodeId{21});
  CHECK(mine.version == Version{1});
  CHECK(mine.update.applied == std::vector<Applied>{{PathId{0}, OuterStep{0}, Version{0}, 5, 0.25},
                                                    {PathId{1}, OuterStep{0}, Version{0}, 5, 0.75}});
  CHECK(mine.update.dropped == std::vector<Dropped>{dropped});
  CHECK(mine.update.scale == 0.5);
  CHECK(mine.dropped.empty());
  CHECK(mine.contributions.empty());
  CHECK(mine.settled() == std::vector<SettledPath>{{PathId{0}, OuterStep{1}}, {PathId{1}, OuterStep{1}}});
}

TEST_CASE("what the policy combines with base and newest version is what is stepped by", "[roles]") {
  MadeUpRun made("2x2", "blocks:0");
  made.config.outer.policy = "asynchronous";
  made.config.outer.optimizer = "nesterov";
  made.config.outer.delay_compensation = 0.5;
  const RunPlan plan = made.plan();
  NoArchive archive;
  const OuterStepper stepper(plan, archive);
  OwnedModule mine = module_at(plan, 3);
  std::vector<float> base = *mine.parameters.data;
  for (float& value : base) --value;
  stepper.add(mine, moved_by(plan, 0, 2), make_values(base, 0), 1);
  mine.contributions.add(given_by(0, 2, 1));
  stepper.step(kStepped, mine, 1);
  CHECK(mine.update.norm == Approx(norm_of(plan, 4)));  // 2 + 0.5 2 2 1
}

TEST_CASE("nothing of what one step was made of is in the next", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan();
  NoArchive archive;
  const OuterStepper stepper(plan, archive);
  OwnedModule mine = two_in_hand(plan, stepper);
  stepper.step(kStepped, mine, 1);
  stepper.add(mine, moved_by(plan, 0, 1), mine.parameters, 1);
  mine.contributions.add(given_by(0, 1, 1));
  stepper.step(kStepped, mine, 1);
  CHECK(mine.version == Version{2});
  CHECK(mine.update.norm == Approx(norm_of(plan, 1)));
  CHECK(mine.update.applied == std::vector<Applied>{{PathId{0}, OuterStep{1}, Version{1}, 5, 1.0}});
}

TEST_CASE("a round that no path trains makes a version that differs in its number alone", "[roles]") {
  const MadeUpRun made("2x2");  // §2.6.2
  const RunPlan plan = made.plan();
  NoArchive archive;
  const OuterStepper stepper(plan, archive);
  OwnedModule mine = module_at(plan, 3, 0.5F);
  mine.update.norm = 7;
  const std::vector<float> before = *mine.parameters.data;
  CHECK(stepper.step(kStepped, mine, 1).empty());
  CHECK(mine.version == Version{4});
  CHECK(*mine.parameters.data == before);
  CHECK(*mine.velocity.data == std::vector<float>(before.size(), 0.5F));
  CHECK(mine.update == Update{});
}

TEST_CASE("where nothing is learned a step counts, and computes nothing", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan_of_costs();
  NoArchive archive;
  const OuterStepper stepper(plan, archive);
  OwnedModule mine;
  stepper.weigh(kStepped, mine);
  CHECK(mine.contributions.shares() == Shares{{PathId{0}, 0.5}, {PathId{1}, 0.5}});
  stepper.add(mine, moved_by(plan, 0, 1), mine.parameters, 0.5);
  mine.contributions.add(given_by(0, 0, 0.5));
  CHECK(stepper.step(kStepped, mine, 1).size() == 1);
  CHECK(mine.version == Version{1});
  CHECK(mine.parameters.data == nullptr);
  CHECK(mine.update.norm == 0);
}

TEST_CASE("an outer gradient that is not finite is refused by its path and module", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan();
  NoArchive archive;
  const OuterStepper stepper(plan, archive);
  OwnedModule mine = module_at(plan, 0);
  const OuterGradient bad = moved_by(plan, 1, std::numeric_limits<float>::infinity());
  CHECK_THROWS_AS(stepper.add(mine, bad, mine.parameters, 0.5), DataError);
  CHECK_THROWS_WITH(stepper.add(mine, bad, mine.parameters, 0.5), Catch::Contains("path 1 in module 0.0"));
}

}  // namespace dipaco::testing

#include "tests/resume/world.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "core/faults/parse.hpp"
#include "core/state/simulation_archive.hpp"
#include "tests/support/half_policy.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/toy_trainer.hpp"

namespace dipaco::testing {
namespace {

constexpr int kWorkers = 4;
constexpr int kNodes = kWorkers + 4;

/// Computes nothing: what it is asked for was to be read.
class NoTrainer : public ToyTrainer {
 public:
  InnerReport inner_steps(TrainState& /*state*/, const BatchSource& /*batches*/, const InnerPlan& /*plan*/,
                          const std::atomic<bool>& /*stop*/) const override {
    throw std::runtime_error("inner steps are computed");
  }
  BatchGradient gradient(std::span<const float> /*parameters*/, const Batch& /*batch*/,
                         InnerSteps /*step*/) const override {
    throw std::runtime_error("gradients are computed");
  }
  std::vector<SegmentScore> scores(std::span<const float> /*parameters*/, const Batch& /*batch*/) const override {
    throw std::runtime_error("a path is scored");
  }
  std::vector<float> token_scores(std::span<const float> /*parameters*/, const Batch& /*batch*/) const override {
    throw std::runtime_error("a path's tokens are scored");
  }
  std::vector<float> features(std::span<const float> /*parameters*/, const Batch& /*batch*/,
                              std::int64_t /*prefix*/) const override {
    throw std::runtime_error("documents are routed");
  }
};

/// Its fourth result has a parameter that is not a number.
class OnceSpoilt : public ToyTrainer {
 public:
  InnerReport inner_steps(TrainState& state, const BatchSource& batches, const InnerPlan& plan,
                          const std::atomic<bool>& stop) const override {
    const InnerReport report = ToyTrainer::inner_steps(state, batches, plan, stop);
    if (++calls_ == 4) state.parameters[7] = std::numeric_limits<float>::quiet_NaN();
    return report;
  }

 private:
  mutable std::atomic<int> calls_{0};
};

void place_nodes(Placement& placement) {
  placement.nodes[1].role = Role::executor;
  placement.nodes[2].role = Role::executor;
  placement.nodes[3].role = Role::store;
  SitePreemption spot{.site = SiteId{0}, .notice = Seconds(0.1)};
  for (int k = 0; k < 100; ++k) spot.steps.push_back({Seconds(0.37 * k), k % 2 == 0 ? 2 : 0});
  for (int n = kNodes - 2; n < kNodes; ++n) spot.hosts.push_back(placement.nodes[static_cast<std::size_t>(n)].host);
  placement.preemptions.push_back(std::move(spot));
}

}  // namespace

World::World(Rounds rounds) : made_("2x2", "blocks:0"), rounds_(rounds) {
  made_.config.outer.steps = 10;
  made_.config.inner.steps = 4;
  made_.config.outer.learning_rate = 1;
  if (rounds == Rounds::yes) {
    made_.config.evaluate.every = 2;
    made_.config.evaluate.early_stopping = true;
    made_.config.data.holdout_fraction = 0.2;
    made_.config.routing.reshard_at = "1,3";
  }
  made_.config.charge = ChargeOptions{made_.config.model, made_.config.inner};
  made_.config.charge->inner.batch = 800;  // long enough to be stopped in the middle
  made_.config.liveness = {.period = Seconds(1), .limit = Seconds(3), .deadline = Seconds(3600)};
  made_.config.faults.freeze =
      "worker:0@outer_step=1,computing,for=4s; executor:0@outer_step=7,stepping,for=5s; "
      "worker:1@outer_step=6,sending,for=4s";
  made_.config.faults.poison = "worker:1@outer_step=2,storing,for=0.01s";
  made_.config.faults.restart = rounds == Rounds::yes
                                    ? "worker:2@outer_step=2,evaluating,for=1s; coordinator:0@outer_step=8,for=2s"
                                    : "executor:1@outer_step=4,stepping,for=1s; coordinator:0@outer_step=6,for=2s";
}

RunPlan World::plan() const {
  const bool as_it_is = rounds_ == Rounds::yes || made_.config.outer.policy != "synchronous";
  return as_it_is ? made_.plan() : plan_without_rounds(made_);
}

void World::step_on_arrival() {
  made_.config.outer.policy = "asynchronous";
  made_.config.outer.delay_compensation = 0.5;
  made_.config.outer.grace = Seconds(1);
}

void World::train_by_speed() {
  made_.config.outer.policy = "asynchronous";
  made_.config.inner.dylu = true;
  unequal_ = true;
}

void World::step_at_quorum() {
  made_.config.outer.policy = "quorum";
  made_.config.outer.quorum = 1;
  made_.config.outer.grace = Seconds(2);
}

void World::merge_regions() {
  made_.config.outer.policy = "hierarchical";
  made_.config.outer.merge_every = 2;
  made_.config.topology.regions = 2;
}

void World::exchange_gradients() {
  made_.config.outer.policy = "gradients";
  made_.config.inner.steps = 1;
  made_.config.charge->inner.steps = 1;
  made_.config.faults.kill = "worker:0@outer_step=3,sending; worker:1@outer_step=5,sending";
}

void World::forbid_computing() { made_.trainer = std::make_shared<const NoTrainer>(); }
void World::spoil_once() { made_.trainer = std::make_shared<const OnceSpoilt>(); }
void World::spoil_no_more() { made_.trainer = std::make_shared<const ToyTrainer>(); }

int World::count(EventKind kind) const {
  RunResult result;
  const Simulated simulated = simulate(plan(), nullptr, result);
  const auto same = [kind](const Event& event) { return event.kind == kind; };
  return static_cast<int>(std::count_if(simulated.events.begin(), simulated.events.end(), same));
}

std::string World::tell(std::unique_ptr<Storage> archive) const {
  const RunPlan plan = this->plan();
  std::optional<SimulationArchive> kept;
  if (archive != nullptr) kept.emplace(plan, std::move(archive));
  RunResult result;
  const Simulated simulated = simulate(plan, kept ? &*kept : nullptr, result);
  if (kept) kept->flush();
  std::string story = result.parameters_hash + " " + result.routing_hash;
  for (const auto& [file, bytes] : simulated.report.model) story += " " + file + " " + hash_hex(bytes);
  for (const Score& score : result.scores) story += " " + format_number(score.nats);
  for (const auto& [version, score] : result.evaluations) story += " " + format_number(score.nats);
  for (const Event& event : simulated.events) {
    story += "\n" + std::string(name(event.kind)) + " " + format_number(event.time.count()) + " " +
             std::to_string(index(event.node)) + " " + std::to_string(index(event.path)) + " " +
             std::to_string(number(event.outer_step)) + " " + std::to_string(event.version) + " " +
             std::to_string(event.inner_steps) + " " + format_number(event.value);
  }
  return hash_hex(story);
}

Simulated World::simulate(const RunPlan& plan, Archive* archive, RunResult& result) const {
  const CoordinatorOptions members{.executors = 2, .stores = 1};
  return run_nodes(
      {full_platform(kNodes, kLink)}, kNodes,
      [&](const PlacedNode& node, Seams seams) {
        if (node.role == Role::coordinator) {
          result = run_coordinator(plan, seams, members);
        } else {
          run_role(plan, seams, {.role = node.role, .site = node.site, .speed = node.speed, .machine = node.host});
        }
      },
      {.limit = plan.config.liveness.limit,
       .period = plan.config.liveness.period,
       .deadline = plan.config.liveness.deadline,
       .plan = &plan,
       .archive = archive,
       .faults = parse_faults(plan.config.faults),
       .threads = 1},
      {},
      [this](Placement& placement) {
        place_nodes(placement);
        for (std::size_t n = 5; unequal_ && n < kNodes; ++n) {
          placement.nodes[n].speed.value /= static_cast<double>(n - 3);
        }
      });
}

std::unique_ptr<Storage> kept_in(const std::filesystem::path& folder) {
  return std::make_unique<DirectoryStorage>(folder);
}

}  // namespace dipaco::testing

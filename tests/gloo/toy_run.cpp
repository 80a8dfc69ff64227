#include "tests/gloo/toy_run.hpp"

#include <span>
#include <sstream>

#include "backends/loopback/run.hpp"
#include "core/base/hash.hpp"

namespace dipaco::testing {
namespace {

RunConfig& shaped(RunConfig& config) {
  config.outer.steps = 6;
  config.outer.learning_rate = 1;  // soon worse on the hold-outs
  config.evaluate.every = 2;
  config.evaluate.early_stopping = true;
  config.data.holdout_fraction = 0.2;
  config.routing.reshard_at = "3";
  config.liveness = {.period = Seconds(0.2), .limit = Seconds(1), .deadline = Seconds(60)};
  return config;
}

void without_rounds(RunConfig& config, ToyKind kind) {
  config.evaluate = {.every = 0};
  config.routing.reshard_at = "";
  config.outer.policy = kind == ToyKind::quorum ? "quorum" : "asynchronous";
  config.outer.quorum = kind == ToyKind::quorum ? 1 : 0;
  config.outer.grace = Seconds(kind == ToyKind::quorum ? 0.2 : 0.5);
  if (kind == ToyKind::regions) {
    config.outer.policy = "hierarchical";
    config.outer.merge_every = 2;
    config.topology.regions = 2;
  }
  if (kind != ToyKind::by_speed) return;
  config.outer.grace = Seconds(0);
  config.inner.dylu = true;
}

RunPlan plan_of(MadeUpRun& made, ToyKind kind) {
  shaped(made.config);
  const bool rounds = kind == ToyKind::whole || kind == ToyKind::plain || kind == ToyKind::charged;
  if (!rounds) without_rounds(made.config, kind);
  return kind == ToyKind::charged ? made.plan_of_costs() : made.plan();
}

}  // namespace

ToyRun::ToyRun(ToyKind kind) : made("2x2", kind == ToyKind::whole ? "blocks:0" : ""), plan(plan_of(made, kind)) {}

GlooOptions ToyRun::options(const std::filesystem::path& out, const std::string& address) const {
  return {.out = out,
          .site = "here",
          .machine = "machine",
          .address = address,
          .step_time = Seconds(0.08),
          .version = "toy"};
}

std::string told_of(const ToyRun& toy, const RunResult& result) {
  const ContributionCounts& counts = result.contributions;
  const std::string all = counts.settled == counts.given ? ", all settled" : ", not all settled";
  if (toy.plan.config.inner.dylu) return std::to_string(result.inner_steps) + " inner steps" + all;
  if (!toy.plan.policy.rounds) return std::to_string(counts.settled) + " contributions" + all;
  std::ostringstream text;
  text << std::hexfloat << result.parameters_hash << " " << result.routing_hash << "\n";
  const auto add = [&](const Score& score) { text << score.nats << " " << score.tokens << "\n"; };
  for (const Score& score : result.scores) add(score);
  for (const auto& [step, score] : result.evaluations) {
    text << step << " ";
    add(score);
  }
  return hash_hex(text.str());
}

std::string loopback_hash(const ToyRun& toy) {
  return told_of(toy, run_loopback(toy.plan, {.workers = 2, .executors = 2, .stores = 2}).result);
}

}  // namespace dipaco::testing

#include "programs/shared/session.hpp"

#include <sys/resource.h>

#include <iostream>
#include <string>
#include <utility>

#include "core/base/file.hpp"
#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "core/config/keys.hpp"
#include "core/config/run_file.hpp"
#include "core/faults/parse.hpp"
#include "core/model/layout.hpp"
#include "core/prepare/new_start.hpp"
#include "core/prepare/shard_file.hpp"
#include "programs/shared/advice.hpp"
#include "programs/shared/cache.hpp"
#include "programs/shared/program.hpp"
#include "programs/shared/stage_rate.hpp"

namespace dipaco {
namespace {

std::string loss_text(std::optional<double> loss) { return loss ? "loss " + format_fixed(*loss, 3) : ""; }

void add_sizes(RunFacts& facts, const RunPlan& plan) {
  const auto& config = plan.config;
  std::uint64_t all = 0;
  const PathLayout layout = make_layout(config.model, plan.topology);
  for (const ModuleId module : plan.topology.modules()) {
    if (!plan.topology.is_regional(module)) all += layout.levels[static_cast<std::size_t>(module.level)].size;
  }
  const auto& charge = config.charge;
  facts.more["parameters_per_path"] = static_cast<std::int64_t>(layout.size);
  facts.more["parameters_total"] = static_cast<std::int64_t>(all);
  facts.more["charged_parameters_per_path"] = static_cast<std::int64_t>(plan.charged.size);
  facts.more["charged_inner_steps"] = charge ? charge->inner.steps : config.inner.steps;
  facts.more["charged_batch_tokens"] =
      charge ? charge->inner.batch * charge->model.sequence : config.inner.batch * config.model.sequence;
  facts.more["batch_tokens"] = config.inner.batch * config.model.sequence;
}

void add_score(RunFacts& facts, const std::string& name, const Score& score) {
  facts.more[name + "_perplexity"] = score.perplexity();
  if (const auto bits = score.bits_per_byte()) facts.more[name + "_bits_per_byte"] = *bits;
}

void add_scores(RunFacts& facts, const RunPlan& plan, const RunResult& result) {
  Score all;
  for (const Score& score : result.scores) all += score;  // by path: one order of floating-point sums
  add_score(facts, "validation", all);
  facts.more["validation_documents"] = all.documents;
  facts.more["validation_tokens"] = all.tokens;
  for (const auto& [step, score] : result.evaluations) {
    facts.more["validation_perplexity_outer_step_" + std::to_string(step)] = score.perplexity();
  }
  facts.more["shard_passes"] = shard_passes(plan);
  if (const auto words = advice(plan, all.perplexity())) facts.more["advice"] = *words;
  const Prepared& prepared = plan.learner->prepared();
  add_score(facts, "dense_validation", prepared.dense_start);
  if (const auto& dense = prepared.dense_equal_steps) add_score(facts, "dense_equal_steps_validation", *dense);
  facts.more["dropped_documents"] = prepared.splits.dropped;
  facts.more["prepared_hash"] = prepared.hash;
  facts.more["tokens_hash"] = prepared.tokens_hash;
  facts.more["start_hash"] = hash_hex(MappedFile(prepared.start_file).bytes());
  facts.more["routing_hash"] = !result.routing_hash.empty()
                                   ? result.routing_hash
                                   : routing_hash(MappedFile(prepared.router).bytes(), encode_shards(prepared.shards));
}

}  // namespace

std::function<void(const PrepareProgress&)> show_preparation(Progress& progress, const StopSignal& stop) {
  return [&, rate = StageRate()](const PrepareProgress& now) mutable {
    std::string detail = loss_text(now.loss);
    const std::string how_fast = rate.text(now.stage, now.done);
    detail += (detail.empty() || how_fast.empty() ? "" : ", ") + how_fast;
    progress.show(now.stage, now.done, now.total, detail);
    if (stop.requested()) throw Interrupted("finished stages are kept; the same command goes on from there");
  };
}

void note_new_start(const RunConfig& config, const PrepareOptions& options) {
  if (const auto why = why_start_is_new(config, options)) std::cerr << "note: " << *why << "\n";
}

std::function<void(const RunProgress&)> show_run(Progress& progress, const char* clock) {
  return [&progress, clock](const RunProgress& now) {
    if (!progress.enabled()) return;
    std::string detail = "outer step " + std::to_string(now.outer_step) + ", ";
    if (now.loss > 0) detail += loss_text(now.loss) + ", ";
    detail += clock + (" " + format_fixed(now.now.count(), 1) + " s");
    if (now.tasks > 0) return progress.show("tasks", now.tasks_committed, now.tasks, detail);
    progress.show("inner steps", now.inner_steps, now.inner_steps_in_all, detail);
  };
}

std::function<void(const std::string&)> show_notes(Progress& progress) {
  return [&progress](const std::string& text) {
    progress.finish();
    std::cerr << "note: " << text << "\n";
  };
}

void open_output(const RunConfig& config, const std::filesystem::path& folder) {
  write_file(folder / "run.cfg", dump_config(config));
  std::filesystem::remove(folder / "summary.json");
  std::filesystem::remove_all(folder / "model");
}

TrainerOptions trainer_options(const RunConfig& config, const PathLayout& layout, const SharedOptions& shared) {
  return {.model = config.model,
          .inner = config.inner,
          .layout = layout,
          .device = shared.device,
          .deterministic = shared.deterministic};
}

RunPlan plan_run(const RunConfig& config, const SharedOptions& shared, Progress& progress, const StopSignal& stop,
                 const std::function<void(const PrepareProgress&)>& tell, int rank_threads) {
  const EvaluateOptions& evaluate = config.evaluate;
  const bool evaluates = evaluate.early_stopping || evaluate.every > 0 || evaluate.target_perplexity > 0;
  const bool needs_text = evaluates || !config.routing.reshard_at.empty();
  if (!shared.learn && needs_text && config.data.charged_documents == 0) {
    std::cerr << "note: without learning there are no documents: nothing is evaluated, re-sharded, scored or stopped "
                 "early; data.charged_documents says how many to charge for\n";
  }
  if (!shared.learn && shared.device != "cpu") {
    throw ConfigError("--device " + shared.device + " and --learn off: nothing is learned there; give one of them");
  }
  if (!shared.learn) return make_plan(config, nullptr, nullptr);
  const Topology topology = make_topology(config.topology, config.model, config.folder);
  const PathLayout layout = make_layout(config.model, topology);
  const auto trainer = load_trainer(trainer_options(config, layout, shared));
  const auto show_and_tell = [show = show_preparation(progress, stop), &tell](const PrepareProgress& now) {
    if (tell) tell(now);
    show(now);
  };
  const PrepareOptions options{
      .folder = config.folder, .cache = prepared_cache(), .threads = shared.threads, .progress = show_and_tell};
  note_new_start(config, options);
  auto prepared = std::make_shared<const Prepared>(prepare(config, topology, layout, *trainer, options));
  return make_plan(config, std::move(prepared), trainer, {.fit = shared.threads, .ranks = rank_threads});
}

namespace {

void add_plan(RunFacts& facts, const RunPlan& plan) {
  const auto& config = plan.config;
  facts.name = config.name;
  facts.outer_steps = config.outer.steps;
  facts.inner_steps = config.inner.steps;
  facts.target_perplexity = config.evaluate.target_perplexity;
  const RunConfig timed = facts.simulated ? charged_view(config) : config;  // a real clock knows of no charge
  const double a_step = static_cast<double>(timed.inner.steps) / static_cast<double>(config.inner.steps);
  const std::int64_t batch = timed.inner.batch * timed.model.sequence;
  facts.step_tokens = a_step * static_cast<double>(batch);
  facts.step_flops = a_step * inner_step_flops(timed.model, batch);
  facts.paths = plan.topology.paths();
  for (const ModuleId module : plan.topology.modules()) {
    if (plan.topology.path_specific(module)) continue;
    const auto through = plan.topology.paths_through(module);
    facts.shared_modules[module] = {through.begin(), through.end()};
  }
  if (plan.policy.rounds) {
    for (std::int32_t step = 0; step < plan.timetable.end(); ++step)
      facts.trained_paths.push_back(plan.timetable.trained_paths(OuterStep{step}));
  }
  facts.more["config_hash"] = plan.config_hash;
  facts.more["seed"] = static_cast<std::int64_t>(config.run.seed);
  facts.more["version"] = project_version();
  facts.more["learned"] = plan.learner->learns();
  add_sizes(facts, plan);
}

}  // namespace

void add_unfinished(RunFacts& facts, const RunPlan& plan, const RunError& why, Seconds lasted) {
  add_plan(facts, plan);
  facts.duration = lasted;
  facts.more["why_unfinished"] = std::string(why.what());
}

namespace {

std::string bitwise(const Trainer& trainer, const std::string& mixed_arithmetic) {
  if (!mixed_arithmetic.empty()) return "no: nodes compute with " + mixed_arithmetic;
  return trainer.repeats() ? "yes" : "no: a GPU adds in any order; --deterministic gives it one";
}

}  // namespace

void add_result(RunFacts& facts, const RunPlan& plan, const RunResult& result) {
  add_plan(facts, plan);
  facts.finished = true;
  facts.duration = result.duration;
  if (!plan.learner->learns()) return;
  add_scores(facts, plan, result);
  facts.more["parameters_hash"] = result.parameters_hash;
  facts.more["arithmetic"] = plan.learner->trainer().description();
  facts.more["bitwise"] = bitwise(plan.learner->trainer(), result.mixed_arithmetic);
}

void leave_reports(const RunFacts& facts, const std::vector<Event>& events, const SharedOptions& shared,
                   const std::filesystem::path& out) {
  write_outputs(facts, events, {.folder = out, .screen = shared.json ? nullptr : &std::cout, .events = shared.events});
  if (shared.json) std::cout << read_text(out / "summary.json");
}

void add_program_cost(RunFacts& facts, std::chrono::steady_clock::time_point start) {
  facts.more["wall_s"] = Seconds(std::chrono::steady_clock::now() - start).count();
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  facts.more["peak_rss_bytes"] = static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

void copy_model_files(const RunPlan& plan, const std::filesystem::path& folder) {
  if (!plan.learner->learns()) return;
  const Prepared& prepared = plan.learner->prepared();
  write_file(folder / "tokenizer.model", read_file(prepared.tokenizer));
  write_file(folder / "start", MappedFile(prepared.start_file).bytes());
  if (plan.timetable.phases() > 1) return;  // what the coordinator made anew is there
  write_file(folder / "router", read_file(prepared.router));
  write_file(folder / "shards", encode_shards(prepared.shards));
}

void note_never_struck(const FaultPlan& faults) {
  for (const Fault& fault : faults) std::cerr << "note: this fault did not strike: " << text(fault) << "\n";
}

}  // namespace dipaco

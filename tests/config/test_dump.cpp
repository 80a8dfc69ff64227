#include <algorithm>
#include <catch2/catch.hpp>

#include "core/base/file.hpp"
#include "core/config/keys.hpp"
#include "core/config/run_file.hpp"
#include "tests/config/another_value.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace dipaco;
using dipaco::testing::another_value;

namespace {

std::string full_name(const RunKey& key) { return std::string(key.section) + "." + std::string(key.name); }

/// A configuration in which one key has another value than `base`, or nullopt where it allows but one.
std::optional<RunConfig> changed(const RunKey& key, const RunConfig& base) {
  const std::string value = another_value(key, base);
  if (value.empty()) return std::nullopt;
  RunConfig config = base;
  REQUIRE_FALSE(set_value(key, config, value).has_value());
  return config;
}

/// Without what policies without rounds read.
void fit_rounds(RunConfig& config) {
  config.inner.dylu = false;
  OuterOptions& outer = config.outer;
  outer.quorum = outer.max_staleness = outer.delay = 0;
  outer.buffer = 1;
  outer.grace = Seconds(0);
  outer.grace_share = 0;
  outer.staleness_weight = "none";
  outer.delay_compensation = outer.c = 0;
  if (outer.policy == "synchronous") {
    config.routing.sample_paths = 1;
    return;
  }
  outer.drop = outer.prune = 0;
  outer.prune_by = "magnitude";
  outer.averaging = "mean";
  config.routing.active_paths.clear();
}

/// Without what outer.policy=hierarchical reads alone.
void fit_one_region(RunConfig& config) {
  OuterOptions& outer = config.outer;
  const OuterOptions none;
  config.topology.regions = 1;
  outer.merge_every = none.merge_every;
  outer.merge_weight = none.merge_weight;
  outer.global_optimizer = none.global_optimizer;
  outer.global_learning_rate = none.global_learning_rate;
  outer.global_momentum = none.global_momentum;
  outer.global_delay = none.global_delay;
}

/// Without what AdamW reads alone, where nothing is stepped by it.
void fit_optimizer(OuterOptions& outer) {
  if (outer.optimizer == "adamw" && outer.policy != "gradients") return;
  const OuterOptions none;
  outer.beta1 = none.beta1;
  outer.beta2 = none.beta2;
  outer.epsilon = none.epsilon;
  outer.weight_decay = none.weight_decay;
}

/// Without what needs rounds, or another policy.
void fit_no_rounds(RunConfig& config) {
  OuterOptions& outer = config.outer;
  if (outer.policy == "asynchronous" || outer.policy == "hierarchical") {
    outer.averaging = "mean";
    outer.quorum = outer.delay = 0;
    outer.c = outer.grace_share = 0;
  } else {
    outer.quorum = outer.buffer = 1;  // it must fit the paths
    outer.delay_compensation = 0;
    outer.optimizer = "delayed_nesterov";
    outer.c = 1e-3;
  }
  outer.drop = 0;
  config.evaluate.every = 0;
  config.evaluate.early_stopping = false;
  config.routing.reshard_at.clear();
  config.routing.sample_paths = 1;
  config.routing.active_paths.clear();
}

/// Every key at another value than the default where it allows one, but for those that do not fit the policy.
RunConfig all_changed(const std::string& policy) {
  RunConfig config;
  for (const RunKey& key : run_keys()) config = changed(key, config).value_or(config);
  config.outer.policy = policy;
  config.evaluate.sequence = 2 * config.routing.prefix;
  config.routing.label_tokens = 2 * config.routing.prefix;
  config.model.heads = 2 * config.model.key_value_heads;
  config.charge = ChargeOptions{config.model, config.inner};
  config.charge->model.blocks = 48;
  config.charge->inner.precision = "fp32";
  if (policy == "hierarchical") {
    config.topology.regions = 2;
    config.outer.buffer = 2;  // a region has fewer paths
    config.outer.global_optimizer = "delayed_nesterov";
  } else {
    fit_one_region(config);
  }
  if (policy == "synchronous" || policy == "gradients") {
    fit_rounds(config);
  } else {
    fit_no_rounds(config);
  }
  fit_optimizer(config.outer);
  return config;
}

}  // namespace

TEST_CASE("a dump of a configuration with every key changed gives that configuration again", "[config]") {
  for (const char* policy : {"synchronous", "gradients", "asynchronous", "quorum", "hierarchical"}) {
    const RunConfig config = all_changed(policy);
    const RunConfig again = parse_run_text(dump_config(config), "elsewhere/a.cfg");
    CHECK(differing_keys(config, again).empty());
    CHECK(dump_config(again) == dump_config(config));
    CHECK(config_hash(again) == config_hash(config));
  }
}

TEST_CASE("the test's changed configurations differ from the default in every key that allows two values", "[config]") {
  std::vector<std::string> names;
  for (const char* policy : {"quorum", "asynchronous", "hierarchical", "synchronous", "gradients"}) {
    for (const std::string& name : differing_keys(RunConfig{}, all_changed(policy))) names.push_back(name);
  }
  for (const RunKey& key : run_keys()) {
    if (another_value(key, RunConfig{}).empty()) continue;
    CHECK_THAT(names, Catch::VectorContains(full_name(key)));
  }
  CHECK(names.back() == "charge");
}

TEST_CASE("a dump without [charge] has none, and one with it has all its keys", "[config]") {
  CHECK(dump_config(RunConfig{}).find("[charge]") == std::string::npos);
  RunConfig config;
  config.charge = ChargeOptions{};
  config.charge->inner.steps = 75;
  const RunConfig again = parse_run_text(dump_config(config), "a.cfg");
  REQUIRE(again.charge.has_value());
  CHECK(again.charge->inner.steps == 75);
  CHECK(differing_keys(RunConfig{}, config) == std::vector<std::string>{"charge"});
  config.charge->inner.steps = 76;
  CHECK(differing_keys(again, config) == std::vector<std::string>{"charge.steps"});
}

TEST_CASE("a dump names files so that they are found from any folder", "[config]") {
  RunConfig config;
  config.folder = "/data/runs";
  config.data.train = "../corpus/*.jsonl.gz, more.txt";
  config.data.tokenizer = "/models/bpe.model";
  const std::string dump = dump_config(config);
  CHECK_THAT(dump, Catch::Contains("\ntrain=/data/corpus/*.jsonl.gz,/data/runs/more.txt\n"));
  CHECK_THAT(dump, Catch::Contains("\ntokenizer=/models/bpe.model\n"));
  CHECK_THAT(dump, Catch::Contains("\nvalidation=\n"));
}

TEST_CASE("a dump that could not be read again is an error that names the file", "[config]") {
  for (const char* folder : {"/data/one, two", "/data/run#2", "/data/two\nlines"}) {
    RunConfig config;
    config.folder = folder;
    config.data.train = "corpus.jsonl";
    CHECK_THROWS_WITH(dump_config(config), Catch::StartsWith("\"" + std::string(folder) + "/corpus.jsonl\": ") &&
                                               Catch::EndsWith("rename the folder or file"));
    config.data.train = "/data/corpus.jsonl";
    CHECK_NOTHROW(dump_config(config));
  }
}

TEST_CASE("the hash of the configuration changes with exactly the keys that may change parameters", "[config]") {
  const RunConfig base;
  for (const RunKey& key : run_keys()) {
    const auto config = changed(key, base);
    if (!config) continue;
    INFO(full_name(key));
    CHECK((config_hash(*config) != config_hash(base)) == (key.changes == Changes::parameters));
    CHECK(differing_keys(base, *config) == std::vector<std::string>{full_name(key)});
  }
}

TEST_CASE("neither [charge] nor the run's name and folder change the hash of the configuration", "[config]") {
  RunConfig config;
  config.name = "other";
  config.folder = "/other";
  config.charge = ChargeOptions{};
  config.charge->model.blocks = 24;
  CHECK(config_hash(config) == config_hash(RunConfig{}));
}

TEST_CASE("keys that change no parameter are those of evaluation, memory, copies, liveness, faults and names of files",
          "[config]") {
  std::vector<std::string> names;
  for (const RunKey& key : run_keys()) {
    if (key.changes == Changes::nothing) names.push_back(full_name(key));
  }
  CHECK(names == std::vector<std::string>{"data.train",
                                          "data.validation",
                                          "data.tokenizer",
                                          "data.validation_documents",
                                          "data.charged_documents",
                                          "data.charged_tokens",
                                          "pretrain.from",
                                          "inner.recompute",
                                          "evaluate.sequence",
                                          "evaluate.every",
                                          "evaluate.target_perplexity",
                                          "evaluate.dense_equal_steps",
                                          "run.replicas",
                                          "run.schedule",
                                          "run.place",
                                          "run.known_lines",
                                          "run.backup_tasks",
                                          "run.line_turns",
                                          "run.site_cache",
                                          "run.site_sums",
                                          "run.straggler_factor",
                                          "liveness.period",
                                          "liveness.limit",
                                          "liveness.deadline",
                                          "faults.kill",
                                          "faults.restart",
                                          "faults.freeze",
                                          "faults.delay",
                                          "faults.cut",
                                          "faults.disk_full",
                                          "faults.short_write",
                                          "faults.sync_error",
                                          "faults.poison",
                                          "faults.repeat"});
}

TEST_CASE("a topology's table counts by its rows, not by its name", "[config]") {
  const TemporaryFolder folder;
  write_file(folder.path() / "a.txt", "0 0\n1 0\n");
  write_file(folder.path() / "b.txt", "0 0\n1 0\n");
  write_file(folder.path() / "c.txt", "0 0\n0 1\n");
  const auto with = [&](const char* table) {
    RunConfig config;
    config.folder = folder.path();
    config.topology.levels = table;
    return config;
  };
  CHECK(config_hash(with("a.txt")) == config_hash(with("b.txt")));
  CHECK(config_hash(with("a.txt")) != config_hash(with("c.txt")));
  CHECK_THAT(dump_config(with("a.txt")), Catch::Contains("\nlevels=" + (folder.path() / "a.txt").string() + "\n"));
}

TEST_CASE("what keeps a run from going on is told key by key, exactly where the hashes differ", "[config]") {
  const RunConfig base;
  for (const RunKey& key : run_keys()) {
    const auto config = changed(key, base);
    if (!config) continue;
    INFO(full_name(key));
    const auto differences = config_differences(base, *config);
    CHECK(differences.empty() == (config_hash(base) == config_hash(*config)));
    if (!differences.empty()) {
      const auto shown = [&](const RunConfig& of) {
        return value_text(key, of).empty() ? "nothing" : value_text(key, of);
      };
      CHECK(differences == std::vector{full_name(key) + ": " + shown(base) + " then, " + shown(*config) + " now"});
    }
  }
  RunConfig two = base;
  two.outer.momentum = 0.5;
  two.inner.batch = 3;
  two.charge = ChargeOptions{};
  two.charge->model.blocks = 24;
  const auto differences = config_differences(base, two);
  REQUIRE(differences.size() == 2);
  CHECK(differences[0] == "inner.batch: " + std::to_string(base.inner.batch) + " then, 3 now");
  CHECK_THAT(differences[1], Catch::StartsWith("outer.momentum: "));
}

TEST_CASE("of a topology's table the rows are compared and its name is shown", "[config]") {
  const TemporaryFolder folder;
  write_file(folder.path() / "a.txt", "0 0\n1 0\n");
  write_file(folder.path() / "same.txt", "0 0\n1 0\n");
  write_file(folder.path() / "c.txt", "0 0\n0 1\n");
  const auto with = [&](const char* levels) {
    RunConfig config;
    config.folder = folder.path();
    config.topology.levels = levels;
    return config;
  };
  CHECK(config_differences(with("a.txt"), with("same.txt")).empty());
  CHECK(config_differences(with("a.txt"), with("c.txt")) ==
        std::vector<std::string>{"topology.levels: the rows of a.txt then, the rows of c.txt now"});
  CHECK(config_differences(with("a.txt"), with("2x1")) ==
        std::vector<std::string>{"topology.levels: the rows of a.txt then, 2x1 now"});
}

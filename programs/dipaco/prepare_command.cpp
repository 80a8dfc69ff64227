#include "programs/dipaco/prepare_command.hpp"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/config/run_file.hpp"
#include "core/model/layout.hpp"
#include "core/model/topology.hpp"
#include "core/prepare/prepared.hpp"
#include "core/trainer/trainer.hpp"
#include "programs/dipaco/evaluation.hpp"
#include "programs/shared/cache.hpp"
#include "programs/shared/progress.hpp"
#include "programs/shared/session.hpp"
#include "programs/shared/shared_options.hpp"

namespace dipaco {
namespace {

std::int64_t token_count(const TokenFile& tokens) {
  std::int64_t count = 0;
  for (const DocumentRecord& document : tokens.documents()) count += document.tokens;
  return count;
}

std::vector<std::int64_t> shard_sizes(const Prepared& prepared) {
  std::vector<std::int64_t> sizes;
  for (const Shard& shard : prepared.shards) sizes.push_back(std::ssize(shard.train));
  return sizes;
}

/// Up to 16 sizes one by one, more as their range.
std::string sizes_text(const std::vector<std::int64_t>& sizes) {
  constexpr std::size_t kMostListed = 16;
  if (sizes.size() > kMostListed) {
    const auto [smallest, largest] = std::minmax_element(sizes.begin(), sizes.end());
    return std::to_string(sizes.size()) + " of " + std::to_string(*smallest) + " to " + std::to_string(*largest) +
           " documents";
  }
  std::string text;
  for (const std::int64_t size : sizes) text += std::to_string(size) + " ";
  return text + "documents";
}

/// Both keys of a score: `name` is put in front.
void put_score(nlohmann::json& all, const std::string& name, const Score& score) {
  all[name + "_perplexity"] = score.perplexity();
  if (const auto bits = score.bits_per_byte()) all[name + "_bits_per_byte"] = *bits;
}

void print_text(const Prepared& prepared, const std::filesystem::path& folder) {
  std::cout << "prepared       " << folder.string() << "\n"
            << "hash           " << prepared.hash << "\n"
            << "documents      " << prepared.tokens->documents().size() << ", " << prepared.splits.dropped
            << " of them dropped as too short\n"
            << "tokens         " << token_count(*prepared.tokens) << "\n"
            << "shards         " << sizes_text(shard_sizes(prepared)) << "\n"
            << "dense start    perplexity " << score_text(prepared.dense_start) << "\n";
  if (prepared.dense_equal_steps) {
    std::cout << "dense trained  perplexity " << score_text(*prepared.dense_equal_steps)
              << ", after as many steps as a path\n";
  }
}

void print_json(const Prepared& prepared, const std::filesystem::path& folder, const RunConfig& config) {
  nlohmann::json all{{"config_hash", config_hash(config)},
                     {"documents", prepared.tokens->documents().size()},
                     {"dropped_documents", prepared.splits.dropped},
                     {"prepared_folder", folder.string()},
                     {"prepared_hash", prepared.hash},
                     {"shard_documents", shard_sizes(prepared)},
                     {"tokens", token_count(*prepared.tokens)}};
  put_score(all, "dense_validation", prepared.dense_start);
  if (const auto& dense = prepared.dense_equal_steps) put_score(all, "dense_equal_steps_validation", *dense);
  std::cout << all.dump(2) << "\n";
}

}  // namespace

ProgramInfo prepare_program() {
  ProgramInfo program{
      .name = "dipaco prepare",
      .purpose = "Makes tokens, tokenizer, dense start, router and shards of a run file.",
      .usage = "--run FILE.cfg [options]",
      .example = "dipaco prepare --run scenarios/runs/tiny.cfg",
      .options = shared_options({Shared::run, Shared::set, Shared::out, Shared::seed, Shared::threads, Shared::device,
                                 Shared::deterministic, Shared::format, Shared::progress, Shared::dump_config}),
      .libraries = core_libraries()};
  for (ProgramOption& option : program.options) {
    if (option.name == "out") option.help = "where it is kept [$DIPACO_CACHE/prepared]";
  }
  return program;
}

ExitStatus run_prepare(const Arguments& arguments, const StopSignal& stop) {
  const SharedOptions shared = read_shared(arguments);
  const RunConfig config = resolve_config(shared);
  if (shared.dump_config) {
    std::cout << dump_config(config);
    return ExitStatus::done;
  }
  const std::filesystem::path folder = shared.out.empty() ? prepared_cache() : shared.out;
  const Topology topology = make_topology(config.topology, config.model, config.folder);
  const PathLayout layout = make_layout(config.model, topology);
  const auto trainer = load_trainer(trainer_options(config, layout, shared));
  Progress progress(std::cerr, shared.progress, stderr_columns);
  const PrepareOptions options{.folder = config.folder,
                               .cache = folder,
                               .threads = shared.threads,
                               .progress = show_preparation(progress, stop)};
  note_new_start(config, options);
  const Prepared prepared = prepare(config, topology, layout, *trainer, options);
  progress.finish();
  if (shared.json) {
    print_json(prepared, folder, config);
  } else {
    print_text(prepared, folder);
  }
  return ExitStatus::done;
}

}  // namespace dipaco

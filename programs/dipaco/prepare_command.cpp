#include "programs/dipaco/prepare_command.hpp"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/config/run_file.hpp"
#include "core/model/layout.hpp"
#include "core/model/topology.hpp"
#include "core/prepare/parts.hpp"
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

/// "3/16". @throws ConfigError
std::optional<PreparePart> part_of(const Arguments& arguments) {
  if (!arguments.given("part")) return std::nullopt;
  if (arguments.given("join")) throw ConfigError("--part and --join: a part is done, or all are joined; give one");
  const std::string text = arguments.text("part");
  const std::size_t slash = text.find('/');
  const auto index = parse_integer(text.substr(0, slash));
  const auto count = slash == std::string::npos ? std::nullopt : parse_integer(text.substr(slash + 1));
  if (!index || !count || *index < 0 || *index >= *count) {
    throw ConfigError("--part=" + text + ": I/N is the part and how many there are, I from 0 to N-1, as in --part 0/8");
  }
  return PreparePart{.index = *index, .count = *count};
}

/// What to call what a part did, and what comes next.
struct PartWords {
  const char* key;   ///< in JSON
  const char* verb;  ///< on the screen, as wide as its first column
  const char* noun;
  const char* next;
};

PartWords words_of(PartDone::What what) {
  switch (what) {
    case PartDone::What::files:
      return {"files_tokenized", "tokenized      ", "files",
              "when all parts have ended: --join, which trains the start and fits the router"};
    case PartDone::What::lots:
      return {"lots_routed", "routed         ", "lots of documents", "when all parts have ended: --join"};
    case PartDone::What::nothing:
      break;
  }
  return {"nothing", "", "", "nothing is left for parts: --join is next, or all is prepared"};
}

void print_part(const PartDone& done, PreparePart part, bool as_json) {
  const std::string name = std::to_string(part.index) + "/" + std::to_string(part.count);
  const PartWords words = words_of(done.what);
  if (as_json) {
    const nlohmann::json all{
        {"part", name}, {"did", words.key}, {"made", done.made}, {"share", done.share}, {"all", done.all}};
    std::cout << all.dump(2) << "\n";
    return;
  }
  std::cout << "part           " << name << "\n";
  if (done.what != PartDone::What::nothing) {
    std::cout << words.verb << done.made << " of its " << done.share << " " << words.noun << ", "
              << done.share - done.made << " were there; " << done.all << " in all\n";
  }
  std::cout << "next           " << words.next << "\n";
}

void print_next(bool as_json) {
  if (as_json) {
    std::cout << nlohmann::json{{"next", "parts"}}.dump(2) << "\n";
  } else {
    std::cout << "joined         the tokens; the start is trained, the router fitted\n"
                 "next           all parts again, which route the documents; then --join\n";
  }
}

/// Prepares, or joins what parts have done. nullopt: parts are next
std::optional<Prepared> prepare_or_join(bool join, const RunConfig& config, const Topology& topology,
                                        const PathLayout& layout, const Trainer& trainer,
                                        const PrepareOptions& options) {
  if (join) return join_parts(config, topology, layout, trainer, options);
  return prepare(config, topology, layout, trainer, options);
}

}  // namespace

ProgramInfo prepare_program() {
  ProgramInfo program{
      .name = "dipaco prepare",
      .purpose = "Makes tokens, tokenizer, dense start, router and shards of a run file.",
      .usage = "--run FILE.cfg [options]",
      .example = "dipaco prepare --run scenarios/runs/tiny.cfg",
      .options = with_shared({{.name = "part", .value = "I/N", .help = "one of N processes: its share, I from 0"},
                              {.name = "join", .help = "make one of what all parts have done"}},
                             {Shared::run, Shared::set, Shared::out, Shared::seed, Shared::threads, Shared::device,
                              Shared::deterministic, Shared::format, Shared::progress, Shared::dump_config}),
      .libraries = core_libraries()};
  for (ProgramOption& option : program.options) {
    if (option.name == "out") option.help = "where it is kept [$DIPACO_CACHE/prepared]";
  }
  return program;
}

ExitStatus run_prepare(const Arguments& arguments, const StopSignal& stop) {
  const SharedOptions shared = read_shared(arguments);
  const std::optional<PreparePart> part = part_of(arguments);
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
  if (part) {
    const PartDone done = prepare_part(config, topology, layout, *trainer, options, *part);
    progress.finish();
    print_part(done, *part, shared.json);
    return ExitStatus::done;
  }
  note_new_start(config, options);
  const auto prepared = prepare_or_join(arguments.given("join"), config, topology, layout, *trainer, options);
  progress.finish();
  if (!prepared) {
    print_next(shared.json);
  } else if (shared.json) {
    print_json(*prepared, folder, config);
  } else {
    print_text(*prepared, folder);
  }
  return ExitStatus::done;
}

}  // namespace dipaco

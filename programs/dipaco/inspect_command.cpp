#include "programs/dipaco/inspect_command.hpp"

#include <array>
#include <iostream>
#include <string>
#include <utility>

#include "core/base/text.hpp"
#include "programs/dipaco/inspection.hpp"
#include "programs/dipaco/typical_words.hpp"
#include "programs/shared/progress.hpp"
#include "programs/shared/shared_options.hpp"

namespace dipaco {
namespace {

constexpr std::int64_t kMostNearest = 1000;
constexpr std::size_t kTypicalWords = 8;

template <class Found>
void print(const Found& found, bool as_json) {
  if (as_json) {
    print_json(std::cout, found);
  } else {
    print_text(std::cout, found);
  }
}

std::string subject_of(const Arguments& arguments) {
  const std::array<std::string, 2> known{"shards", "modules"};
  const auto& words = arguments.words();
  if (words.empty()) throw ConfigError("nothing to inspect; write dipaco inspect shards DIR, or modules DIR");
  if (words[0] != known[0] && words[0] != known[1]) {
    throw ConfigError("\"" + words[0] + "\" cannot be inspected: shards or modules" + did_you_mean(words[0], known));
  }
  if (words.size() < 2) throw ConfigError("no folder; name the --out folder of a run, such as out/tiny");
  for (const char* option : {"labels", "nearest", "device"}) {
    if (words[0] == known[0] || !arguments.given(option)) continue;
    throw ConfigError("--" + std::string(option) +
                      " is about shards; leave it out, or write dipaco inspect shards DIR");
  }
  return words[0];
}

ShardsFound inspect_shards(const LoadedRun& loaded, const Arguments& arguments, int threads, Progress& progress,
                           const StopSignal& stop) {
  const auto nearest = arguments.integer("nearest", 1, kMostNearest);
  const auto router = nearest ? read_run_router(loaded.run, *loaded.trainer) : nullptr;
  ShardsFound found{.shards = read_run_shards(loaded),
                    .train = {},
                    .labels = read_labels(arguments.text("labels"), *loaded.text->tokens),
                    .purity = {},
                    .words = {},
                    .nearest = {}};
  found.words = typical_words(loaded, found.shards, kTypicalWords);
  std::vector<std::vector<DocumentId>> train;
  for (const Shard& shard : found.shards) {
    train.push_back(shard.train);
    found.train.documents.push_back(std::ssize(shard.train));
  }
  found.purity = purity_of(train, found.labels);
  if (!nearest) return found;
  for (std::int32_t path = 0; path < router->paths(); ++path) {
    if (stop.requested()) throw Interrupted("nothing is kept; give the same command again");
    const Shard& shard = found.shards[static_cast<std::size_t>(path)];
    found.nearest.push_back(nearest_documents(loaded, *router, shard, {PathId{path}, *nearest, threads}));
    progress.show("shards", path + 1, router->paths());
  }
  return found;
}

}  // namespace

ProgramInfo inspect_program() {
  return {
      .name = "dipaco inspect",
      .purpose = "Shows what a finished run's shards or modules look like.",
      .usage = "{shards | modules} DIR [options]",
      .example = "dipaco inspect shards out/tiny --nearest 3",
      .options = with_shared({{.name = "labels", .value = "FILE", .help = "shards: a label a line [the domains]"},
                              {.name = "nearest", .value = "N", .help = "shards: show the N best documents of each"}},
                             {Shared::device, Shared::threads, Shared::format, Shared::progress}),
      .words = 2,
      .libraries = core_libraries()};
}

ExitStatus run_inspect(const Arguments& arguments, const StopSignal& stop) {
  const SharedOptions shared = read_shared(arguments);
  const std::string subject = subject_of(arguments);
  Progress progress(std::cerr, shared.progress, stderr_columns);
  LoadedRun loaded = load_run(arguments.words()[1], shared.device);
  if (subject == "modules") {
    print(module_distances(loaded, shared.threads), shared.json);
    return ExitStatus::done;
  }
  load_text(loaded, shared.threads, progress, stop);
  const ShardsFound found = inspect_shards(loaded, arguments, shared.threads, progress, stop);
  progress.finish();
  print(found, shared.json);
  return ExitStatus::done;
}

}  // namespace dipaco

#include "programs/dipaco/evaluate_command.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.hpp"
#include "core/eval/windows.hpp"
#include "core/prepare/routing.hpp"
#include "programs/dipaco/evaluation.hpp"
#include "programs/dipaco/run_data.hpp"
#include "programs/dipaco/window_router.hpp"
#include "programs/shared/progress.hpp"
#include "programs/shared/shared_options.hpp"

namespace dipaco {
namespace {

constexpr std::int64_t kLeastWindow = 16;
constexpr std::int64_t kMostTokens = 1 << 20;
constexpr std::int64_t kMostSteps = 100'000'000;

/// The command line, read.
struct Wanted {
  std::string folder;
  std::string data;                    ///< empty: the run's validation documents
  std::optional<std::int64_t> window;  ///< none: once a sequence
  std::optional<std::int64_t> sequence;
  std::optional<std::int64_t> look_ahead;
  std::int64_t router_steps = 0;
};

std::optional<std::int64_t> read_window(const std::string& text) {
  if (text == "sequence") return std::nullopt;
  const auto window = parse_integer(text);
  if (window && *window >= kLeastWindow && *window <= kMostTokens) return window;
  throw ConfigError("--window " + text + ": write \"sequence\" or a number of tokens from " +
                    std::to_string(kLeastWindow) + " to " + std::to_string(kMostTokens));
}

Wanted read_wanted(const Arguments& arguments) {
  if (arguments.words().empty()) throw ConfigError("no folder; name the --out folder of a run, such as out/tiny");
  const auto window = read_window(arguments.text("window"));
  for (const char* option : {"look-ahead", "router-steps"}) {
    if (window || !arguments.given(option)) continue;
    throw ConfigError("--" + std::string(option) +
                      " is about the router of a window; leave it out, or write --window W, such as --window 64");
  }
  return {.folder = arguments.words().front(),
          .data = arguments.text("data"),
          .window = window,
          .sequence = arguments.integer("sequence", 2, kMostTokens),
          .look_ahead = arguments.integer("look-ahead", 1, kMostTokens),
          .router_steps = *arguments.integer("router-steps", 1, kMostSteps)};
}

ScoreOptions score_options(const Wanted& wanted, const RunConfig& config, int threads) {
  const std::int64_t sequence = wanted.sequence.value_or(evaluation_sequence(config));
  if (sequence <= config.routing.prefix) {
    throw ConfigError("--sequence " + std::to_string(sequence) + ": nothing of a row is behind routing.prefix=" +
                      std::to_string(config.routing.prefix) + "; write a longer one");
  }
  return {
      .rows = rows_at_a_time(config.inner), .sequence = sequence, .prefix = config.routing.prefix, .threads = threads};
}

WindowRouterOptions router_options(const Wanted& wanted, const LoadedRun& loaded, int threads) {
  return {.look_ahead = wanted.look_ahead.value_or(loaded.run.config().model.sequence),
          .steps = wanted.router_steps,
          .threads = threads};
}

/// The run's own: to score it, or to make the window's router, which learns from it.
bool needs_text(const Wanted& wanted, const LoadedRun& loaded) {
  if (wanted.data.empty()) return true;
  return wanted.window && !std::filesystem::exists(window_router_file(loaded, router_options(wanted, loaded, 1)));
}

/// What is evaluated, on what.
struct EvaluationTask {
  const LoadedRun& loaded;
  const EvaluationText& text;
  const Wanted& wanted;
  ScoreOptions score;
};

constexpr std::size_t kRoutedAtATime = 1024;  // documents between two looks at whether to stop

void stop_if_asked(const StopSignal& stop) {
  if (stop.requested()) throw Interrupted("no score is kept; give the same command again");
}

std::vector<PathId> route(const EvaluationTask& task, Progress& progress, const StopSignal& stop) {
  const auto router = read_run_router(task.loaded.run, *task.loaded.trainer);
  const FeatureSource source{.trainer = *task.loaded.trainer,
                             .parameters = task.loaded.start,
                             .tokens = *task.text.tokens,
                             .prefix = task.score.prefix,
                             .threads = task.score.threads};
  const std::span<const DocumentId> documents = task.text.documents;
  std::vector<PathId> routes;
  while (routes.size() < documents.size()) {
    const std::size_t count = std::min(kRoutedAtATime, documents.size() - routes.size());
    const auto some = route_documents(source, *router, documents.subspan(routes.size(), count), 1);
    routes.insert(routes.end(), some.begin(), some.end());
    progress.show("routes", std::ssize(routes), std::ssize(documents));
    stop_if_asked(stop);
  }
  return routes;
}

/// Each token under the path that is active. @returns nats [documents]
std::vector<double> evaluate_windows(const EvaluationTask& task, const PathSet& set, const std::vector<PathId>& first,
                                     const std::vector<float>& router, Evaluation& evaluation) {
  const std::int64_t window = *task.wanted.window;
  const TransformerRouter transformer{set.trainer, router, set.paths};
  const WindowRoutes routes = route_windows(transformer, set.tokens, task.text.documents, first, window, task.score);
  WindowScore windows = score_windows(set, task.text.documents, routes);
  evaluation.score = windows.total;
  evaluation.switching = Switching{window, windows.switches, windows.recomputed, windows.positions, routes.positions};
  return std::move(windows.nats);
}

/// What every path started from, on the same documents.
Score score_start(const EvaluationTask& task, Progress& progress, const StopSignal& stop) {
  progress.show("dense start", 0, 1);
  const Score score =
      score_documents(*task.loaded.trainer, task.loaded.start, *task.text.tokens, task.text.documents, task.score)
          .total;
  progress.show("dense start", 1, 1);
  stop_if_asked(stop);
  return score;
}

/// The model itself is not kept: what the run had of its own documents.
std::optional<double> trained_densely(const EvaluationTask& task) {
  const bool same = task.wanted.data.empty() && task.score.sequence == evaluation_sequence(task.loaded.run.config());
  return same ? dense_equal_steps_of(task.wanted.folder) : std::nullopt;
}

/// Nothing where no document names a domain.
std::map<std::string, Score> domains_of(const EvaluationText& text, const std::vector<double>& nats) {
  const auto parts = score_by_domain(*text.tokens, text.documents, nats);
  std::map<std::string, Score> domains;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].documents > 0) domains[text.tokens->domains()[i]] = parts[i];
  }
  if (domains.size() == 1 && domains.begin()->first.empty()) domains.clear();
  return domains;
}

Evaluation evaluate(const EvaluationTask& task, Progress& progress, const StopSignal& stop) {
  const std::int32_t paths = task.loaded.run.topology().paths();
  const std::vector<PathId> first = route(task, progress, stop);
  const PathSet set{.trainer = *task.loaded.trainer,
                    .paths = paths,
                    .parameters = [&](PathId path) { return task.loaded.run.parameters(path); },
                    .tokens = *task.text.tokens,
                    .score = task.score,
                    .done =
                        [&](PathId path) {
                          progress.show("paths", index(path) + 1, paths);
                          stop_if_asked(stop);
                        }};
  Evaluation evaluation{.score = {},
                        .dense_start = score_start(task, progress, stop),
                        .dense_equal_steps = trained_densely(task),
                        .dropped = task.text.dropped,
                        .shares = route_shares(first, paths)};
  std::vector<double> nats;
  if (task.wanted.window) {
    const auto options = router_options(task.wanted, task.loaded, task.score.threads);
    nats = evaluate_windows(task, set, first, window_router(task.loaded, options, progress, stop), evaluation);
  } else {
    DocumentScores scores = score_on_paths(set, task.text.documents, first);
    evaluation.score = scores.total;
    nats = std::move(scores.nats);
  }
  evaluation.domains = domains_of(task.text, nats);
  return evaluation;
}

}  // namespace

ProgramInfo evaluate_program() {
  return {
      .name = "dipaco evaluate",
      .purpose = "Scores a finished run: perplexity of each document on its path or paths.",
      .usage = "DIR [options]",
      .example = "dipaco evaluate out/tiny --window 64",
      .options = with_shared(
          {{.name = "data", .value = "FILES", .help = "text, comma-separated [the run's validation]"},
           {.name = "window", .value = "sequence|W", .help = "route once, or every W tokens", .initial = "sequence"},
           {.name = "sequence", .value = "N", .help = "positions of a row [the run's]"},
           {.name = "look-ahead", .value = "N", .help = "of a router's targets, tokens [model.sequence]"},
           {.name = "router-steps", .value = "N", .help = "that train the window's router", .initial = "2000"}},
          {Shared::device, Shared::threads, Shared::format, Shared::progress}),
      .words = 1,
      .libraries = core_libraries()};
}

ExitStatus run_evaluate(const Arguments& arguments, const StopSignal& stop) {
  const SharedOptions shared = read_shared(arguments);
  const Wanted wanted = read_wanted(arguments);
  Progress progress(std::cerr, shared.progress, stderr_columns);
  LoadedRun loaded = load_run(wanted.folder, shared.device);
  if (needs_text(wanted, loaded)) load_text(loaded, shared.threads, progress, stop);
  const ScoreOptions score = score_options(wanted, loaded.run.config(), shared.threads);
  std::optional<TextTokens> given;
  EvaluationText own;
  if (wanted.data.empty()) {
    own = {.tokens = loaded.text->tokens, .documents = loaded.text->splits.validation};
  } else {
    given.emplace(loaded.run, wanted.data, progress, stop);
  }
  const Evaluation evaluation = evaluate(
      {.loaded = loaded, .text = given ? given->text() : own, .wanted = wanted, .score = score}, progress, stop);
  progress.finish();
  if (shared.json) {
    print_json(std::cout, evaluation);
  } else {
    print_text(std::cout, evaluation);
  }
  return ExitStatus::done;
}

}  // namespace dipaco

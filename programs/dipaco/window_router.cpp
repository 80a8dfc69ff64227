#include "programs/dipaco/window_router.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "core/checkpoint/checkpoint.hpp"
#include "core/config/run_file.hpp"
#include "core/data/split.hpp"
#include "core/eval/continuation.hpp"
#include "core/prepare/keys.hpp"
#include "core/trainer/transformer_router.hpp"
#include "programs/shared/program.hpp"

namespace dipaco {
namespace {

namespace fs = std::filesystem;

constexpr InnerSteps kSlice{25};  // between two reports of progress
/// Draws of the router are none of a path's or of dense training.
constexpr std::uint64_t kRouterStream = 1ULL << 40U;

/// A file of this process beside another, which goes with the object: several processes may make the same router.
class Aside {
 public:
  explicit Aside(const fs::path& file) : name_(file.string() + "." + std::to_string(::getpid())) {
    write_file(name_, std::string_view());
  }
  ~Aside() { ::unlink(name_.c_str()); }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
  const fs::path& name() const { return name_; }

 private:
  fs::path name_;
};

void require_going_on(const StopSignal& stop) {
  if (stop.requested()) throw Interrupted("the router that was being trained is dropped");
}

ContinuationTargets targets_of(const LoadedRun& loaded, const WindowRouterOptions& options, Progress& progress,
                               const StopSignal& stop) {
  const RunConfig& config = loaded.run.config();
  const std::int32_t paths = loaded.run.topology().paths();
  const PathSet set{.trainer = *loaded.trainer,
                    .paths = paths,
                    .parameters = [&](PathId path) { return loaded.run.parameters(path); },
                    .tokens = *loaded.text->tokens,
                    .score = {.rows = rows_at_a_time(config.inner),
                              .sequence = evaluation_sequence(config),
                              .prefix = config.routing.prefix,
                              .threads = options.threads},
                    .done =
                        [&](PathId path) {
                          progress.show("router targets", index(path) + 1, paths);
                          require_going_on(stop);
                        }};
  return continuation_targets(set, unlearned_router_documents(loaded.text->splits), options.look_ahead);
}

TrainState train(const LoadedRun& loaded, const WindowRouterOptions& options, Progress& progress,
                 const StopSignal& stop) {
  const RunConfig& config = loaded.run.config();
  const std::int32_t paths = loaded.run.topology().paths();
  const ContinuationTargets targets = targets_of(loaded, options, progress, stop);
  const ShardReader reader(loaded.text->tokens, unlearned_router_documents(loaded.text->splits),
                           {.rows = config.inner.batch,
                            .length = config.model.sequence,
                            .prefix = config.routing.prefix,
                            .seed = config.run.seed,
                            .stream = kRouterStream,
                            .name = "the router documents"});
  const RouterBatchSource batches = [&](InnerSteps step) { return router_batch(targets, reader, step); };
  TrainState state = router_start(loaded.start, config.model.hidden, paths);
  const InnerSteps all{options.steps};
  while (state.step < all) {
    const RouterPlan plan{.path_count = paths,
                          .steps = {.count = std::min(kSlice, all - state.step),
                                    .total = all,
                                    .micro_batches = config.pretrain.micro_batches,
                                    .threads = options.threads}};
    const InnerReport report = loaded.trainer->router_steps(state, batches, plan, stop.requested());
    require_going_on(stop);
    progress.show("router", state.step.value, all.value, "loss " + format_fixed(report.last_loss, 3));
  }
  return state;
}

std::vector<float> read_window_router(const LoadedRun& loaded, const fs::path& file) {
  const std::string source = file.string();
  const Checkpoint checkpoint = decode_checkpoint(MappedFile(file).bytes(), source);
  const std::vector<float>& parameters = checkpoint.array("parameters", source);
  const std::int32_t paths = loaded.run.topology().paths();
  const auto kind = checkpoint.facts.find("kind");
  const bool fits =
      kind != checkpoint.facts.end() && kind->second == "transformer_router" &&
      checkpoint.integer("paths", source) == paths &&
      parameters.size() == router_size(loaded.run.layout().size, loaded.run.config().model.hidden, paths) &&
      std::all_of(parameters.begin(), parameters.end(), [](float x) { return std::isfinite(x); });
  if (fits) return parameters;
  throw DataError(source + ": no router to the " + std::to_string(paths) +
                  " paths of this model; remove the file, and it is made again");
}

}  // namespace

fs::path window_router_file(const LoadedRun& loaded, const WindowRouterOptions& options) {
  Keys keys;
  keys.add("format", 4)
      .add("config", config_hash(loaded.run.config()))
      .add("tokens", loaded.run.tokens_hash())
      .add("modules", loaded.run.modules_hash())
      .add("sequence", evaluation_sequence(loaded.run.config()))
      .add("look_ahead", options.look_ahead)
      .add("steps", options.steps);
  return loaded.run.model() / ("transformer_router-" + hash_hex(keys.text()));
}

std::vector<float> window_router(const LoadedRun& loaded, const WindowRouterOptions& options, Progress& progress,
                                 const StopSignal& stop) {
  const fs::path file = window_router_file(loaded, options);
  if (fs::exists(file)) return read_window_router(loaded, file);
  const Aside aside(file);  // before it is trained: where a folder cannot be written to, nothing is lost
  TrainState state = train(loaded, options, progress, stop);
  Checkpoint checkpoint;
  checkpoint.facts = {{"kind", "transformer_router"},
                      {"paths", std::to_string(loaded.run.topology().paths())},
                      {"look_ahead", std::to_string(options.look_ahead)},
                      {"steps", std::to_string(options.steps)}};
  checkpoint.arrays["parameters"] = state.parameters;
  write_file(aside.name(), encode(checkpoint));
  move_into_place(aside.name(), file);
  return state.parameters;
}

}  // namespace dipaco

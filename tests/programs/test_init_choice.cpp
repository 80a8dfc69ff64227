#include <catch2/catch.hpp>
#include <string>

#include "core/model/layout.hpp"
#include "programs/dipaco/init/chosen_run.hpp"
#include "programs/dipaco/init/run_file_text.hpp"

namespace dipaco::testing {
namespace {

using Catch::Contains;

constexpr FlopsPerSecond kAlone{4e9};

/// Steps that are as fast as kAlone alone, and slower by `factor` side by side.
StepMeasures slower_by(double factor) {
  return {.alone = [](const RunConfig&) { return Trial{.speed = kAlone, .memory = Bytes{1'000'000}, .rows = 4}; },
          .side_by_side = [factor](const RunConfig&, std::int64_t) { return FlopsPerSecond{kAlone.value / factor}; }};
}

TrainingMachine machine(double minutes) {
  return {.cores = 3, .memory = Bytes{8'000'000'000}, .allowed = Seconds(60 * minutes)};
}

/// Its comments' lines as one.
std::string words_of(const ChosenRun& chosen, const TextFacts& text) {
  std::string file = run_file_text(chosen, text, machine(1e6));
  for (std::size_t at = file.find("\n# "); at != std::string::npos; at = file.find("\n# ")) file.replace(at, 3, " ");
  return file;
}

const TextFacts kTiny{
    .documents = 70, .bytes = 3000, .domains = {}, .vocabulary = 512, .tokens = 900, .median_tokens = 10};
const TextFacts kLarge{.documents = 200'000,
                       .bytes = 400'000'000,
                       .domains = {},
                       .vocabulary = 32'000,
                       .tokens = 100'000'000,
                       .median_tokens = 400};

}  // namespace

TEST_CASE("a run file for a tiny text does not say that the text is enough", "[programs]") {
  const std::string tiny = words_of(choose_run(kTiny, machine(1e6), slower_by(1)), kTiny);
  CHECK_THAT(tiny, Contains("\nlevels=2x2\n") && Contains("\nsequence=64\n") && Contains("\nbatch=4 "));
  CHECK_THAT(tiny, Contains("the smallest, though it is more than the text is enough for.") &&
                       !Contains("the largest that the time"));
  CHECK_THAT(tiny, Contains("Tokens of a row: the fewest, as the text is small or its documents are short (half of the "
                            "documents have 10 tokens or more)."));
  CHECK_THAT(tiny, Contains("6 times: after each step, as there are so few."));

  const std::string large = words_of(choose_run(kLarge, machine(1e9), slower_by(1)), kLarge);
  CHECK_THAT(large, Contains("the largest that the time") && !Contains("the smallest, though"));
  CHECK_THAT(large, Contains("not above what half of the documents have") && Contains("30 times or more"));
}

TEST_CASE("what training may take is by steps side by side, of paths that wait for a core", "[programs]") {
  const ChosenRun chosen = choose_run(kTiny, machine(1e6), slower_by(2.5));
  const RunConfig& config = chosen.config;
  const double step = inner_step_flops(config.model, config.inner.batch * config.model.sequence) / (kAlone.value / 2.5);
  const auto path_steps = static_cast<double>(config.outer.steps * config.inner.steps);
  const double dense = (static_cast<double>(config.pretrain.steps) + path_steps) / 3;
  CHECK(chosen.training.count() == Approx(step * (dense + 2 * path_steps)));  // the fourth path comes after three

  // A shape that only a core alone would be quick enough for is not taken.
  const double minutes = 1.5 * choose_run(kLarge, machine(1e9), slower_by(1)).training.count() / 60;
  const ChosenRun quick = choose_run(kLarge, machine(minutes), slower_by(1));
  const ChosenRun busy = choose_run(kLarge, machine(minutes), slower_by(4));
  CHECK(busy.parameters < quick.parameters);
  CHECK(busy.training <= machine(minutes).allowed);
}

}  // namespace dipaco::testing

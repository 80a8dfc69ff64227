// Our inner steps, in rounds that another program asks for: scripts/bench_pytorch.py, which does PyTorch's in turns.
//
//   inner_rounds FOLDER --blocks N ...     --help has all
//
// Writes what both begin with to FOLDER: parameters.f32, in the order of the path's layout, and tokens.i32, batches of
// [rows, sequence]; the target of a position is the token behind it. Then it says "ready", LibTorch and the device, reads
// a command a line, and answers each with a line:
//
//   gradient FILE   writes the first batch's clipped gradient of these parameters; its loss
//   steps N         N steps on; seconds of the processor and of the clock a step, loss of the last
//   pair N          two paths on two threads, N steps each; the same, seconds for each path's steps

#include <array>
#include <atomic>
#include <boost/program_options.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <memory>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/made_up_batch.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {
namespace {

struct Options {
  std::filesystem::path folder;
  ModelOptions model;
  InnerOptions inner{.learning_rate = 1e-3, .final_learning_rate = 1e-3, .warmup = 0};
};

constexpr std::int64_t kBatches = 4;

/// Rows of one document each, every position but the last in the loss.
std::vector<Batch> made_up_batches(const Options& options) {
  std::vector<Batch> batches;
  for (std::int64_t k = 0; k < kBatches; ++k) {
    Batch batch = made_up_batch(options.model, options.inner.batch, std::array{options.model.sequence}, {k});
    for (std::size_t t = 0; t + 1 < batch.tokens.size(); ++t) {
      const bool last = batch.positions[t + 1] == 0;
      batch.targets[t] = last ? Batch::kNoTarget : batch.tokens[t + 1];
    }
    batches.push_back(std::move(batch));
  }
  return batches;
}

template <class Number>
void write(const std::filesystem::path& file, std::span<const Number> numbers) {
  std::ofstream out(file, std::ios::binary);
  const auto bytes = std::as_bytes(numbers);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

struct Seconds {
  double processor = 0;
  double clock = 0;
};

Seconds seconds_of(const auto& work) {
  const auto clock = std::chrono::steady_clock::now();
  const std::clock_t processor = std::clock();
  work();
  return {static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC,
          std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count()};
}

/// Two paths that begin alike; the second one steps in pairs alone.
class Paths {
 public:
  explicit Paths(const Options& options)
      : layout_(make_layout(options.model, make_topology({.levels = "flat:1"}, options.model, {}))),
        trainer_(load_trainer({options.model, options.inner, layout_})),
        batches_(made_up_batches(options)),
        first_(start(options)),
        second_(first_) {}

  const Trainer& trainer() const { return *trainer_; }

  void write_start(const std::filesystem::path& folder) const {
    write<float>(folder / "parameters.f32", first_.parameters);
    std::vector<std::int32_t> tokens;
    for (const Batch& batch : batches_) tokens.insert(tokens.end(), batch.tokens.begin(), batch.tokens.end());
    write<std::int32_t>(folder / "tokens.i32", tokens);
  }
  double write_gradient(const std::filesystem::path& file) const {
    const BatchGradient gradient = trainer_->gradient(first_.parameters, batches_.front(), {});
    write<float>(file, gradient.values);
    return gradient.loss;
  }
  double steps(std::int64_t count) { return steps(first_, count); }
  double pair(std::int64_t count) {
    auto other = std::async(std::launch::async, [&] { return steps(second_, count); });
    steps(first_, count);
    return other.get();
  }

 private:
  TrainState start(const Options& options) const {
    return {.parameters = initial_parameters(layout_, options.model, 1),
            .first_moment = std::vector<float>(layout_.size),
            .second_moment = std::vector<float>(layout_.size),
            .step = {}};
  }
  double steps(TrainState& state, std::int64_t count) const {
    const std::atomic<bool> stop{false};
    const BatchSource source = [&](InnerSteps step) { return batches_[static_cast<std::size_t>(step.value % kBatches)]; };
    return trainer_->inner_steps(state, source, {.count = {count}, .total = {1'000'000}}, stop).last_loss;
  }

  PathLayout layout_;
  std::shared_ptr<const Trainer> trainer_;
  std::vector<Batch> batches_;
  TrainState first_;
  TrainState second_;
};

void answer(Paths& paths, const std::string& command, const std::string& argument) {
  if (command == "gradient") {
    std::printf("%.9g\n", paths.write_gradient(argument));
  } else if (command == "steps" || command == "pair") {
    const std::int64_t count = std::stoll(argument);
    double loss = 0;
    const Seconds seconds = seconds_of([&] { loss = command == "pair" ? paths.pair(count) : paths.steps(count); });
    const auto steps = static_cast<double>(count);
    std::printf("%.9g %.9g %.9g\n", seconds.processor / steps, seconds.clock / steps, loss);
  } else {
    throw std::invalid_argument("no command: " + command);
  }
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  namespace po = boost::program_options;
  Options options;
  std::string folder;
  ModelOptions& model = options.model;
  po::options_description known("inner_rounds FOLDER does inner steps that it is asked for; its source has the commands");
  auto add = known.add_options();
  add("help", "this");
  add("folder", po::value(&folder)->required(), "for what both programs begin with");
  add("blocks", po::value(&model.blocks)->required(), "and the next: as the keys of [model]");
  add("hidden", po::value(&model.hidden)->required(), "");
  add("heads", po::value(&model.heads)->required(), "");
  add("head-size", po::value(&model.head_size)->required(), "");
  add("mlp", po::value(&model.mlp)->required(), "");
  add("vocabulary", po::value(&model.vocabulary)->required(), "");
  add("sequence", po::value(&model.sequence)->required(), "");
  add("batch", po::value(&options.inner.batch)->required(), "rows of a batch");
  add("precision", po::value(&options.inner.precision)->required(), "fp32 or bf16");
  po::variables_map given;
  po::store(
      po::command_line_parser(argc, argv).options(known).positional(po::positional_options_description().add("folder", 1)).run(),
      given);
  if (given.contains("help")) {
    std::printf("%s\n", (std::ostringstream() << known).str().c_str());
    return 0;
  }
  po::notify(given);
  Paths paths(options);
  paths.write_start(folder);
  std::printf("ready %s\n", paths.trainer().description().c_str());
  std::fflush(stdout);
  for (std::string command, argument; std::cin >> command >> argument;) answer(paths, command, argument);
  return 0;
}

}  // namespace
}  // namespace dipaco

int main(int argc, char** argv) {
  try {
    return dipaco::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "inner_rounds: %s\n", error.what());
    return 2;
  }
}

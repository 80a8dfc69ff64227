// Long rows of many documents against short ones: the same tokens and documents, 16 in a row of 4,096 or two in one of 512,
// by a CPU's one thread. Time and memory of a step should follow the tokens, not the row's length. Prints a line a
// shape; exit status 1 beyond a bound. Seconds are the processor's, in turns.

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/made_up_batch.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {
namespace {

/// Of a token's time and memory in rows of 4,096: against rows of 512, and of four such rows against one.
constexpr double kMost = 1.15;
constexpr std::int64_t kDocument = 256;
constexpr int kRounds = 7;

struct Shape {
  std::int64_t sequence;
  std::int64_t rows;
  std::int64_t tokens() const { return sequence * rows; }
};

/// The first is what the others are measured against.
constexpr std::array kShapes{Shape{512, 32}, Shape{4096, 1}, Shape{4096, 2}, Shape{4096, 4}};

class Steps {
 public:
  explicit Steps(const Shape& shape)
      : model_{.blocks = 4, .hidden = 256, .heads = 8, .head_size = 32, .vocabulary = 4096, .sequence = shape.sequence},
        inner_{.steps = 1, .batch = shape.rows, .learning_rate = 1e-3},
        layout_(make_layout(model_, make_topology({.levels = "flat:1"}, model_, {}))),
        trainer_(load_trainer({model_, inner_, layout_})),
        state_{.parameters = initial_parameters(layout_, model_, 1),
               .first_moment = std::vector<float>(layout_.size),
               .second_moment = std::vector<float>(layout_.size),
               .step = {}} {
    std::vector<std::int64_t> ends;
    for (std::int64_t end = kDocument; end <= shape.sequence; end += kDocument) ends.push_back(end);
    batch_ = made_up_batch(model_, shape.rows, ends, {0});
  }

  void one() {
    const std::atomic<bool> stop{false};
    trainer_->inner_steps(
        state_, [this](InnerSteps) { return batch_; }, {.count = {1}, .total = {100'000}}, stop);
  }

 private:
  ModelOptions model_;
  InnerOptions inner_;
  PathLayout layout_;
  std::shared_ptr<const Trainer> trainer_;
  TrainState state_;
  Batch batch_;
};

double seconds_of(Steps& steps) {
  const std::clock_t start = std::clock();
  steps.one();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double resident_mib() {
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return static_cast<double>(pages) * 4096 / (1024 * 1024);
}

/// What steps of the shape take beyond what stays: in a process of its own.
int print_memory(const Shape& shape) {
  Steps steps(shape);
  const double before = resident_mib();
  steps.one();
  steps.one();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%.1f\n", static_cast<double>(usage.ru_maxrss) / 1024 - before);
  return 0;
}

double memory_of(const std::string& program, std::size_t shape) {
  const std::string command = "'" + program + "' " + std::to_string(shape);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> child(popen(command.c_str(), "r"), pclose);
  double mib = 0;
  if (child == nullptr || std::fscanf(child.get(), "%lf", &mib) != 1) throw std::runtime_error("cannot run " + command);
  return mib;
}

/// Per token, as a multiple of the same of another shape.
bool judge(const char* what, const std::vector<double>& values, std::size_t one, std::size_t other) {
  const auto a_token = [&](std::size_t k) { return values[k] / static_cast<double>(kShapes[k].tokens()); };
  const double ratio = a_token(one) / a_token(other);
  const auto& [length, rows] = kShapes[one];
  std::printf("%s a token: %ld rows of %ld against %ld of %ld = %.2f\n", what, rows, length, kShapes[other].rows,
              kShapes[other].sequence, ratio);
  return ratio <= kMost;
}

int run(const std::string& program) {
  std::vector<double> seconds, mib;
  std::vector<std::unique_ptr<Steps>> steps;
  for (const Shape& shape : kShapes) steps.push_back(std::make_unique<Steps>(shape));
  std::vector<std::vector<double>> rounds(kShapes.size());
  for (const auto& each : steps) each->one();
  for (int k = 0; k < kRounds; ++k) {
    for (std::size_t shape = 0; shape < kShapes.size(); ++shape) rounds[shape].push_back(seconds_of(*steps[shape]));
  }
  for (std::size_t shape = 0; shape < kShapes.size(); ++shape) {
    seconds.push_back(median(rounds[shape]));
    mib.push_back(memory_of(program, shape));
    const auto& [length, rows] = kShapes[shape];
    std::printf("%2ld rows of %4ld, %2ld documents a row: %6.0f ms a step, %6.1f us a token, %6.0f MiB\n", rows, length,
                length / kDocument, 1e3 * seconds.back(),
                1e6 * seconds.back() / static_cast<double>(kShapes[shape].tokens()), mib.back());
  }
  bool all = true;
  for (const auto& [one, other] : {std::pair{3, 0}, std::pair{3, 1}}) {
    all = judge("time", seconds, static_cast<std::size_t>(one), static_cast<std::size_t>(other)) && all;
    all = judge("memory", mib, static_cast<std::size_t>(one), static_cast<std::size_t>(other)) && all;
  }
  return all ? 0 : 1;
}

}  // namespace
}  // namespace dipaco

int main(int argc, char** argv) {
  try {
    if (argc == 2) return dipaco::print_memory(dipaco::kShapes.at(std::stoul(argv[1])));
    return dipaco::run(argv[0]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_rows: %s\n", error.what());
    return 2;
  }
}

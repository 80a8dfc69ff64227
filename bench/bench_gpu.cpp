// Inner steps on a GPU against a bare LibTorch loop of the same shapes, in turns in one run: tokens a second, MFU, device
// memory, and what of a step is no kernel. scripts/bench_gpu.sh runs it. Prints a line a shape; exit status 1 where the
// median of the ratios is below --floor.

#include <ATen/ATen.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "bench/bare_loop.hpp"
#include "bench/device_profile.hpp"
#include "bench/made_up_batch.hpp"
#include "core/base/random.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {
namespace {

struct Options {
  std::string model = "150m";
  std::string device = "cuda";
  std::string precision = "bf16";
  std::string loops = "both";
  std::int64_t batch = 128;
  std::int64_t micro_batch = 32;
  std::int64_t sequence = 1024;
  std::int64_t documents = 1;
  std::int64_t ranks = 1;
  std::int64_t steps = 6;
  std::int64_t rounds = 3;
  double tera_flops = 0;
  double floor = 0;
  bool recompute = false;
  bool library = false;
  bool profile = false;
};

/// The paper's path; the same family at 1.1 billion parameters; and one that a CPU can do.
ModelOptions model_of(const Options& options) {
  ModelOptions model{.sequence = options.sequence};
  if (options.model == "1b") {
    model.blocks = 20;
    model.hidden = 2048;
    model.heads = 32;
  } else if (options.model == "tiny") {
    model = {.blocks = 2, .hidden = 64, .heads = 4, .head_size = 16, .vocabulary = 512, .sequence = options.sequence};
  }
  return model;
}

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Floating-point operations a second of one large product, the most that a model can come near.
double product_flops(const Options& options) {
  const std::int64_t size = options.device.starts_with("cuda") ? 8192 : 512;
  const auto type = options.precision == "bf16" ? at::kBFloat16 : at::kFloat;
  const at::Tensor a = at::randn({size, size}, at::TensorOptions(at::Device(options.device))).to(type);
  const auto run = [&](int times) {
    at::Tensor c;
    for (int k = 0; k < times; ++k) c = at::mm(a, a);
    c[0][0].item<float>();  // waits
  };
  run(3);
  constexpr int kTimes = 20;
  const double seconds = seconds_of([&] { run(kTimes); });
  return 2.0 * kTimes * std::pow(static_cast<double>(size), 3) / seconds;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

/// Both loops on the same batches.
class Loops {
 public:
  explicit Loops(const Options& options)
      : options_(options),
        model_(model_of(options)),
        inner_{.batch = options.batch,
               .precision = options.precision,
               .micro_batch = options.micro_batch,
               .ranks = options.ranks,
               .recompute = options.recompute},
        layout_(make_layout(model_, Topology({whole()}, {0}))),
        trainer_(load_trainer({.model = model_,
                               .inner = inner_,
                               .layout = layout_,
                               .device = options.device,
                               .kernels = options.library ? Kernels::library : Kernels::own})) {
    state_.parameters = start();
    state_.first_moment = state_.second_moment = std::vector<float>(layout_.size);
    for (std::int64_t k = 1; k <= options.documents; ++k) ends_.push_back(k * model_.sequence / options.documents);
    for (std::int64_t k = 0; k < 2; ++k) batches_.push_back(made_up_batch(model_, options.batch, ends_, {k}));
  }

  const Trainer& trainer() const { return *trainer_; }
  std::size_t parameters() const { return layout_.size; }
  /// Of a step. Attention reaches no further than a document.
  double flops() const {
    ModelOptions by_document = model_;
    by_document.sequence = model_.sequence / options_.documents;
    return inner_step_flops(by_document, options_.batch * model_.sequence);
  }

  /// A task of `steps` steps. Seconds of a step are those between askings for batches, the first and the last left out:
  /// a step ahead of a device is the most that the loop gets.
  struct Task {
    double seconds = 0;  ///< of a step
    double rest = 0;     ///< of the task: copies to the device and back
    double loss = 0;     ///< of the last step
  };
  Task ours(std::int64_t steps) {
    const std::atomic<bool> stop{false};
    std::vector<double> asked;
    const auto start = std::chrono::steady_clock::now();
    const auto now = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
    const BatchSource source = [&](InnerSteps step) {
      asked.push_back(now());
      return batch(step.value);
    };
    const InnerPlan plan{
        .count = {steps}, .total = {100'000}, .threads = static_cast<int>(options_.ranks), .ranks = options_.ranks};
    const InnerReport report = trainer_->inner_steps(state_, source, plan, stop);
    const double all = now();
    if (steps < 3) return {.loss = report.last_loss};
    const double seconds = (asked.back() - asked[1]) / static_cast<double>(steps - 2);
    return {seconds, all - static_cast<double>(steps) * seconds, report.last_loss};
  }

  double bare(std::int64_t steps) {
    if (!bare_) bare_ = std::make_unique<BareLoop>(model_, inner_, options_.device);
    at::Tensor loss;
    for (std::int64_t k = 0; k < steps; ++k) loss = bare_->step(batch(k));
    return loss.item<double>();
  }

 private:
  /// Norms of 1, and numbers of initial_parameters' spread, drawn a million at a time: drawing a billion takes long.
  std::vector<float> start() const {
    std::vector<float> drawn(std::size_t{1} << 20), values(layout_.size, 1.0F);
    for (std::size_t k = 0; k < drawn.size(); ++k) {
      drawn[k] = static_cast<float>(0.02 * draw_normal(1, Draw::jitter, k));
    }
    for (const TensorSlot& slot : layout_.slots) {
      if (slot.shape.size() == 1) continue;
      for (std::size_t k = slot.offset; k < slot.offset + slot.size; ++k) values[k] = drawn[k % drawn.size()];
    }
    return values;
  }

  Level whole() const {
    Level level{.blocks = {}, .embedding = true, .final_norm = true, .experts = 1};
    for (std::int64_t b = 0; b < model_.blocks; ++b) level.blocks.push_back(b);
    return level;
  }
  const Batch& batch(std::int64_t step) const { return batches_[static_cast<std::size_t>(step) % batches_.size()]; }

  Options options_;
  ModelOptions model_;
  InnerOptions inner_;
  PathLayout layout_;
  std::shared_ptr<const Trainer> trainer_;
  TrainState state_;
  std::vector<std::int64_t> ends_;
  std::vector<Batch> batches_;
  std::unique_ptr<BareLoop> bare_;
};

struct Measured {
  std::vector<double> seconds;  ///< of a step
  double peak_gib = 0;
  double loss = 0;
};

void print(const char* name, const Options& options, const Loops& loops, const Measured& measured) {
  const double seconds = median(measured.seconds), flops = loops.flops() / seconds;
  std::printf("  %-5s %8.1f ms a step, %9.0f tokens/s, %6.1f TFLOP/s", name, 1e3 * seconds,
              static_cast<double>(options.batch * options.sequence) / seconds, flops / 1e12);
  if (options.tera_flops > 0) std::printf(" (MFU %.1f %%)", flops / 1e10 / options.tera_flops);
  std::printf(", %.2f GiB, loss %.4f\n", measured.peak_gib, measured.loss);
}

void print(const DeviceProfile& profile) {
  if (profile.span == 0) {
    std::printf("  LibTorch's profiler sees no kernels on this device\n");
    return;
  }
  std::printf("  profile of 3 steps: %.1f ms, kernels in %.1f %% of it\n", 1e3 * profile.span, 100 * profile.busy / profile.span);
  for (std::size_t k = 0; k < std::min<std::size_t>(profile.work.size(), 28); ++k) {
    const DeviceWork& work = profile.work[k];
    std::printf("    %5.1f %% %8.2f ms %6ld x  %.110s\n", 100 * work.seconds / profile.busy, 1e3 * work.seconds,
                work.count, work.name.c_str());
  }
}

int measure(const Options& options) {
  Loops loops(options);
  std::printf("%s, %zu parameters, %s%s, %lld rows of %lld by %lld, %lld documents a row; %s\n", options.model.c_str(),
              loops.parameters(), options.precision.c_str(), options.recompute ? ", recompute" : "",
              static_cast<long long>(options.batch), static_cast<long long>(options.sequence),
              static_cast<long long>(options.micro_batch), static_cast<long long>(options.documents),
              loops.trainer().description().c_str());
  const bool ours = options.loops != "bare", bare = options.loops != "ours";
  Measured of_ours, of_bare;
  double rest = 0;
  std::vector<double> ratios;
  // The first call of each fills caches and finds algorithms.
  const auto peak = [&] { return static_cast<double>(peak_bytes(options.device)) / (1 << 30); };
  if (ours) of_ours.loss = loops.ours(1).loss, of_ours.peak_gib = peak();
  if (bare) of_bare.loss = loops.bare(1), of_bare.peak_gib = peak();
  for (std::int64_t round = 0; round < options.rounds; ++round) {
    if (ours) {
      const Loops::Task task = loops.ours(options.steps + 2);
      of_ours.seconds.push_back(task.seconds);
      of_ours.loss = task.loss;
      rest = task.rest;
    }
    if (bare) {
      of_bare.seconds.push_back(seconds_of([&] { of_bare.loss = loops.bare(options.steps); }) /
                                static_cast<double>(options.steps));
    }
    if (ours && bare) ratios.push_back(of_bare.seconds.back() / of_ours.seconds.back());
  }
  if (ours) print("ours", options, loops, of_ours);
  if (bare) print("bare", options, loops, of_bare);
  if (ours) std::printf("  a task's start and end: %.2f s\n", rest);
  std::printf("  one large product: %.3g TFLOP/s\n", product_flops(options) / 1e12);
  if (ours && bare) std::printf("  ours/bare in tokens a second = %.2f\n", median(ratios));
  if (options.profile) {
    print(profile([&] { ours ? loops.ours(3).loss : loops.bare(3); }));
  }
  std::fflush(stdout);
  return ours && bare && median(ratios) < options.floor ? 1 : 0;
}

int run(int argc, char** argv) {
  namespace po = boost::program_options;
  Options options;
  po::options_description known("bench_gpu measures inner steps on a device");
  auto add = known.add_options();
  add("help", "this");
  add("model", po::value(&options.model)->default_value(options.model), "150m, 1b or tiny");
  add("device", po::value(&options.device)->default_value(options.device), "as --device of dipaco-run");
  add("precision", po::value(&options.precision)->default_value(options.precision), "fp32 or bf16");
  add("loops", po::value(&options.loops)->default_value(options.loops), "ours, bare or both");
  add("batch", po::value(&options.batch)->default_value(options.batch), "rows of a batch");
  add("micro-batch", po::value(&options.micro_batch)->default_value(options.micro_batch), "rows at a time");
  add("sequence", po::value(&options.sequence)->default_value(options.sequence), "positions of a row");
  add("documents", po::value(&options.documents)->default_value(options.documents), "in each row");
  add("ranks", po::value(&options.ranks)->default_value(options.ranks), "as inner.ranks; of a CPU on so many threads");
  add("steps", po::value(&options.steps)->default_value(options.steps), "of a measurement");
  add("rounds", po::value(&options.rounds)->default_value(options.rounds), "of measurements");
  add("teraflops", po::value(&options.tera_flops)->default_value(options.tera_flops), "of the device, for MFU");
  add("floor", po::value(&options.floor)->default_value(options.floor), "least ratio to the bare loop");
  add("recompute", po::bool_switch(&options.recompute), "as inner.recompute");
  add("library", po::bool_switch(&options.library), "LibTorch's operators alone");
  add("profile", po::bool_switch(&options.profile), "print what the device did in a step");
  po::variables_map given;
  po::store(po::parse_command_line(argc, argv, known), given);
  po::notify(given);
  if (given.contains("help")) {
    std::printf("%s\n", (std::ostringstream() << known).str().c_str());
    return 0;
  }
  return measure(options);
}

}  // namespace
}  // namespace dipaco

int main(int argc, char** argv) {
  try {
    return dipaco::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_gpu: %s\n", error.what());
    return 2;
  }
}

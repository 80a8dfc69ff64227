// Seconds to fit a router of the paper's size to made-up router documents, by each method, as a ratio to what the
// matrix products in it take alone, on as many threads; of product k-means, where they take little, to k-means. Exit
// status 1 if one is above its bound, or takes a minute. Seconds are of wall time: what else the machine does counts.

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/random.hpp"
#include "core/eval/side_by_side.hpp"
#include "core/routing/calibration.hpp"
#include "core/routing/linear_router.hpp"
#include "core/routing/router.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {
namespace {

constexpr double kBound = 60;          // seconds
constexpr double kProductsBound = 2;   // times the products alone
constexpr double kProductBound = 0.5;  // product k-means: times k-means
constexpr int kThreads = 2;
constexpr std::int32_t kPaths = 256;
constexpr std::size_t kDocuments = 100'000;
constexpr std::size_t kWidth = 896;

std::shared_ptr<const Trainer> make_trainer() {
  const ModelOptions model{.blocks = 1, .hidden = 32, .heads = 1, .head_size = 32, .vocabulary = 64, .sequence = 16};
  const Level level{.blocks = {0}, .embedding = true, .final_norm = true, .experts = 1};
  const InnerOptions inner;
  return load_trainer({model, inner, make_layout(model, Topology({level}, {0}))});
}

struct RouterDocuments {
  std::vector<float> features;  ///< [n, d]
  std::vector<PathId> labels;
};

/// Clouds around a centre for each path, low paths with more documents; feature j of a cloud spreads as 1 / sqrt(j +
/// 1), then all are mixed, so that features are as correlated as a model's. Three labels in ten are drawn from all
/// paths.
RouterDocuments made_up_documents(const Trainer& trainer) {
  const auto normal = [](std::size_t a, std::size_t b) {
    return static_cast<float>(draw_normal(1, Draw::jitter, a, b));
  };
  const auto path_of = [](std::size_t i) {
    return static_cast<std::int32_t>(kPaths * std::pow(draw_uniform(2, Draw::jitter, i), 1.5));
  };
  std::vector<float> mixing(kWidth * kWidth);
  for (std::size_t i = 0; i < mixing.size(); ++i) mixing[i] = normal(i, 1) / std::sqrt(static_cast<float>(kWidth));
  RouterDocuments documents;
  constexpr std::size_t kAtATime = 4000;
  for (std::size_t first = 0; first < kDocuments; first += kAtATime) {
    std::vector<float> clouds(kAtATime * kWidth);
    for (std::size_t k = 0; k < clouds.size(); ++k) {
      const std::size_t i = first + k / kWidth;
      const std::size_t j = k % kWidth;
      const auto centre = static_cast<std::size_t>(path_of(i)) * kWidth + j;
      clouds[k] = (normal(centre, 2) + normal(i * kWidth + j, 3)) / std::sqrt(static_cast<float>(j + 1));
    }
    const auto mixed = trainer.product(clouds, mixing, {.n = kAtATime, .k = kWidth, .d = kWidth});
    documents.features.insert(documents.features.end(), mixed.begin(), mixed.end());
  }
  for (std::size_t i = 0; i < kDocuments; ++i) {
    const bool noisy = draw_uniform(3, Draw::jitter, i) < 0.3;
    documents.labels.push_back(
        PathId{noisy ? static_cast<std::int32_t>(draw_below(kPaths, 4, Draw::jitter, i)) : path_of(i)});
  }
  return documents;
}

/// Notes the shapes of all products that it is asked for.
class ProductNotes : public Trainer {
 public:
  explicit ProductNotes(const Trainer& trainer) : trainer_(trainer) {}

  std::string description() const override { return trainer_.description(); }
  InnerReport inner_steps(TrainState& state, const BatchSource& batches, const InnerPlan& plan,
                          const std::atomic<bool>& stop) const override {
    return trainer_.inner_steps(state, batches, plan, stop);
  }
  BatchGradient gradient(std::span<const float> parameters, const Batch& batch, InnerSteps step) const override {
    return trainer_.gradient(parameters, batch, step);
  }
  std::vector<float> features(std::span<const float> parameters, const Batch& batch,
                              std::int64_t prefix) const override {
    return trainer_.features(parameters, batch, prefix);
  }
  std::vector<SegmentScore> scores(std::span<const float> parameters, const Batch& batch) const override {
    return trainer_.scores(parameters, batch);
  }
  std::vector<float> token_scores(std::span<const float> parameters, const Batch& batch) const override {
    return trainer_.token_scores(parameters, batch);
  }
  InnerReport router_steps(TrainState& state, const RouterBatchSource& batches, const RouterPlan& plan,
                           const std::atomic<bool>& stop) const override {
    return trainer_.router_steps(state, batches, plan, stop);
  }
  std::vector<float> router_logits(std::span<const float> router, std::int32_t path_count, const Batch& batch,
                                   std::span<const std::int64_t> positions) const override {
    return trainer_.router_logits(router, path_count, batch, positions);
  }
  std::vector<float> product(std::span<const float> a, std::span<const float> b,
                             const ProductShape& shape) const override {
    {
      const std::lock_guard lock(mutex_);
      shapes_.push_back(shape);
    }
    return trainer_.product(a, b, shape);
  }

  /// The same products of other numbers, some at a time. REQUIRES that nobody asks for one meanwhile.
  void again(std::span<const float> numbers) const {
    side_by_side(shapes_.size(), kThreads, [&](std::size_t i) {
      const auto& [n, k, d, transposed] = shapes_[i];
      trainer_.product(numbers.first(static_cast<std::size_t>(n * d)), numbers.first(static_cast<std::size_t>(k * d)),
                       shapes_[i]);
    });
  }

 private:
  const Trainer& trainer_;
  mutable std::mutex mutex_;
  mutable std::vector<ProductShape> shapes_;
};

struct Times {
  double wall = 0;       ///< seconds
  double processor = 0;  ///< seconds of all threads
};

template <class Work>
Times times_of(Work work) {
  const auto wall = std::chrono::steady_clock::now();
  const std::clock_t processor = std::clock();
  work();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count(),
          static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC};
}

/// Prints which parts of their targets the paths get.
void print_shares(const char* name, std::vector<double> shares, const std::vector<double>& targets) {
  for (std::size_t p = 0; p < shares.size(); ++p) shares[p] /= targets[p];
  const auto [least, most] = std::minmax_element(shares.begin(), shares.end());
  std::printf("  %-18s paths get %.2f to %.2f of their targets\n", name, *least, *most);
}

/// The classifier and its bias, with how well they meet their targets. @returns seconds
double fit_discriminative(const RouterDocuments& documents, const Trainer& trainer) {
  const LinearFit fit{.paths = kPaths, .width = kWidth, .calibrate_bias = false, .side_by_side = on_threads(kThreads)};
  std::unique_ptr<Router> router;
  const Times fitting =
      times_of([&] { router = fit_linear_router(documents.features, documents.labels, fit, trainer); });
  const std::vector<float> logits = router->scores(documents.features, std::vector<std::uint64_t>(kDocuments));
  const std::vector<double> targets = calibration_targets(documents.labels, kPaths);
  std::vector<float> bias(kPaths);
  print_shares("fitted:", best_path_shares(logits, bias), targets);
  const Times calibration = times_of([&] { bias = calibrated_bias(logits, targets, on_threads(kThreads)); });
  print_shares("calibrated:", best_path_shares(logits, bias), targets);
  std::printf("  classifier: %.1f s, %.1f s of processors; bias: %.1f s, %.1f s\n", fitting.wall, fitting.processor,
              calibration.wall, calibration.processor);
  return fitting.wall + calibration.wall;
}

/// @returns seconds
double fit_clusters(const char* method, const RouterDocuments& documents, const Trainer& trainer) {
  const RouterFit fit{.paths = kPaths, .width = kWidth, .levels = {16, 16}, .side_by_side = on_threads(kThreads)};
  const Times fitting = times_of([&] { fit_router(documents.features, fit, {.method = method}, trainer); });
  std::printf("  clusters: %.1f s, %.1f s of processors\n", fitting.wall, fitting.processor);
  return fitting.wall;
}

/// Prints a time and its ratio to another. @returns whether both are within their bounds
bool judge(double seconds, double beside, const char* whose, double bound) {
  std::printf("  %.1f s on %d cores (bound %.0f s); %s %.1f s: ratio %.2f (bound %.1f)\n", seconds, kThreads, kBound,
              whose, beside, seconds / beside, bound);
  return seconds <= kBound && seconds <= bound * beside;
}

/// @returns whether it is within its bounds; in `seconds` what it took
template <class Fit>
bool within_products(const char* method, const RouterDocuments& documents, const Trainer& trainer, Fit fit,
                     double& seconds) {
  std::printf("%s: %zu documents x %zu features, %d paths\n", method, kDocuments, kWidth, kPaths);
  const ProductNotes notes(trainer);
  seconds = fit(notes);
  return judge(seconds, times_of([&] { notes.again(documents.features); }).wall, "its products alone", kProductsBound);
}

int run() {
  const auto trainer = make_trainer();
  const RouterDocuments documents = made_up_documents(*trainer);
  double seconds = 0;
  bool within = within_products(
      "discriminative", documents, *trainer, [&](const Trainer& notes) { return fit_discriminative(documents, notes); },
      seconds);
  within &= within_products(
      "k_means", documents, *trainer, [&](const Trainer& notes) { return fit_clusters("k_means", documents, notes); },
      seconds);
  std::puts("product_k_means");
  within &= judge(fit_clusters("product_k_means", documents, *trainer), seconds, "k_means", kProductBound);
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  std::printf("memory at most %.2f GB\n", static_cast<double>(usage.ru_maxrss) / 1e6);
  return within ? 0 : 1;
}

}  // namespace
}  // namespace dipaco

int main() {
  try {
    return dipaco::run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_router: %s\n", error.what());
    return 2;
  }
}

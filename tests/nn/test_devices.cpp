#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include "core/base/error.hpp"
#include "core/trainer/transformer_router.hpp"
#include "tests/nn/made_up.hpp"

namespace dipaco {
namespace {

using testing::trainer_on;

double largest_difference(std::span<const float> a, std::span<const float> b) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  for (std::size_t k = 0; k < a.size(); ++k) worst = std::max(worst, std::abs(double(a[k]) - double(b[k])));
  return worst;
}

/// Two trainers of the same numbers, but for their rounding.
void check_alike(const Trainer& a, const Trainer& b, double tolerance) {
  const ModelOptions model = testing::tiny_model();
  const TrainState start = testing::start_of(model);
  const Batch batch = testing::made_up_batch(model, {3});
  CHECK(largest_difference(a.features(start.parameters, batch, 3), b.features(start.parameters, batch, 3)) < tolerance);
  CHECK(largest_difference(a.token_scores(start.parameters, batch), b.token_scores(start.parameters, batch)) <
        tolerance);

  constexpr std::int32_t kPaths = 3;
  const TrainState router = testing::router_of(model, kPaths);
  const std::vector<std::int64_t> positions{5, 0, 17};
  CHECK(largest_difference(a.router_logits(router.parameters, kPaths, batch, positions),
                           b.router_logits(router.parameters, kPaths, batch, positions)) < tolerance);

  TrainState by_a = start, by_b = start;
  const InnerPlan plan{.count = {5}, .total = {10}, .micro_batches = 2, .threads = 2};
  const InnerReport report_a = testing::train(a, by_a, testing::made_up_batches(model), plan);
  const InnerReport report_b = testing::train(b, by_b, testing::made_up_batches(model), plan);
  CHECK(report_a.last_loss == Approx(report_b.last_loss).margin(tolerance));
  CHECK(largest_difference(by_a.first_moment, by_b.first_moment) < tolerance);
  CHECK(largest_difference(by_a.parameters, start.parameters) > 1e-4);

  std::vector<float> numbers(12);
  std::iota(numbers.begin(), numbers.end(), 1.0F);
  CHECK(largest_difference(a.product(numbers, numbers, {3, 3, 4}), b.product(numbers, numbers, {3, 3, 4})) < tolerance);
}

/// Of each tensor: how far `b` is from `a`, as a share of `a`.
double largest_share(const PathLayout& layout, std::span<const float> a, std::span<const float> b) {
  double worst = 0;
  for (const TensorSlot& slot : layout.slots) {
    double apart = 0, whole = 0;
    for (std::size_t k = slot.offset; k < slot.offset + slot.size; ++k) {
      apart += std::pow(double(a[k]) - double(b[k]), 2);
      whole += std::pow(double(a[k]), 2);
    }
    worst = std::max(worst, std::sqrt(apart / whole));
  }
  return worst;
}

/// A GPU's kernels in bf16 against a CPU in fp32, by tensors of the gradient.
void check_fused(const ModelOptions& model) {
  const PathLayout layout = testing::layout_of(model);
  const auto trainer = [&](const char* device, const InnerOptions& inner) {
    return load_trainer({.model = model, .inner = inner, .layout = layout, .device = device});
  };
  std::vector<float> parameters = testing::start_of(model).parameters;
  for (const TensorSlot& slot : layout.slots) {
    if (slot.shape.size() == 1) continue;  // a norm
    for (std::size_t k = slot.offset; k < slot.offset + slot.size; ++k) parameters[k] *= 0.15F;
  }
  const Batch batch = testing::made_up_batch(model, {3});
  const BatchGradient expected = trainer("cpu", {})->gradient(parameters, batch, {});
  for (const InnerOptions& inner :
       {InnerOptions{.precision = "bf16"}, InnerOptions{.precision = "bf16", .micro_batch = 3, .recompute = true}}) {
    const auto gpu = trainer("cuda:0", inner);
    CHECK_THAT(gpu->description(), Catch::Contains("fused"));
    const BatchGradient made = gpu->gradient(parameters, batch, {});
    CHECK(made.loss == Approx(expected.loss).epsilon(1e-2));
    CHECK(largest_share(layout, expected.values, made.values) < 0.05);
  }
}

/// What --deterministic promises.
void check_repeats() {
  const ModelOptions model{.blocks = 2, .hidden = 128, .heads = 4, .head_size = 32, .vocabulary = 64, .sequence = 48};
  const auto trainer = load_trainer({.model = model,
                                     .inner = {.warmup = 0, .precision = "bf16", .micro_batch = 2},
                                     .layout = testing::layout_of(model),
                                     .device = "cuda:0",
                                     .deterministic = true});
  CHECK(trainer->repeats());
  const auto trained = [&] {
    TrainState state = testing::start_of(model);
    testing::train(*trainer, state, testing::made_up_batches(model), {.count = {20}, .total = {20}});
    return state;
  };
  const TrainState once = trained();
  for (int again = 0; again < 3; ++again) CHECK(testing::same_bits(once, trained()));
}

/// Ranks that devices share have the bits of ranks one after the other: here one GPU twice.
void check_shared_ranks() {
  const ModelOptions model{.blocks = 2, .hidden = 128, .heads = 4, .head_size = 32, .vocabulary = 64, .sequence = 48};
  const auto trained = [&](const char* devices) {
    const auto trainer = load_trainer({.model = model,
                                       .inner = {.warmup = 0, .precision = "bf16", .ranks = 2},
                                       .layout = testing::layout_of(model),
                                       .device = devices,
                                       .deterministic = true});
    TrainState state = testing::start_of(model);
    testing::train(*trainer, state, testing::made_up_batches(model), {.count = {20}, .total = {20}, .ranks = 2});
    return state;
  };
  CHECK(testing::same_bits(trained("cuda:0"), trained("cuda:0,cuda:0")));
}

/// Why this machine cannot compute on a GPU; nullopt: it can.
std::optional<std::string> why_no_gpu() {
  try {
    trainer_on("cuda");
    return std::nullopt;
  } catch (const ConfigError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("LibTorch's operators, which GPUs have too, compute what our own kernels do", "[nn]") {
  const auto own = trainer_on("cpu", Kernels::own), library = trainer_on("cpu", Kernels::library);
  check_alike(*own, *library, 2e-5);
}

TEST_CASE("in bf16 they do, to its precision", "[nn]") {
  const auto own = trainer_on("cpu", Kernels::own, "bf16"), library = trainer_on("cpu", Kernels::library, "bf16");
  check_alike(*own, *library, 3e-2);
}

TEST_CASE("a GPU computes what a CPU does, or whoever asks for one hears what is missing", "[nn]") {
  if (const auto why = why_no_gpu()) {
    CHECK_THAT(*why,
               Catch::Contains("--device cuda") && (Catch::Contains("DIPACO_TORCH_DIR") ||
                                                    Catch::Contains("nvidia-smi") || Catch::Contains("does not load")));
  } else {
    check_alike(*trainer_on("cpu", Kernels::own), *trainer_on("cuda:0"), 1e-3);
    check_alike(*trainer_on("cpu", Kernels::own), *trainer_on("cuda:0", Kernels::own), 1e-3);
    check_alike(*trainer_on("cpu", Kernels::own, "bf16"), *trainer_on("cuda:0", Kernels::library, "bf16"), 3e-2);
    // Sizes that kernels load by 16 bytes, and sizes that they do not.
    check_fused({.blocks = 2,
                 .hidden = 128,
                 .heads = 4,
                 .key_value_heads = 2,
                 .head_size = 32,
                 .mlp = 320,
                 .vocabulary = 512,
                 .sequence = 48});
    check_fused({.blocks = 2,
                 .hidden = 72,
                 .heads = 3,
                 .key_value_heads = 1,
                 .head_size = 24,
                 .mlp = 76,
                 .vocabulary = 301,
                 .sequence = 48});
    CHECK_FALSE(trainer_on("cuda:0")->repeats());
    check_repeats();
    check_shared_ranks();
    CHECK_THROWS_WITH(trainer_on("cuda:127"), Catch::Contains("this machine has GPUs 0 to"));
  }
}

TEST_CASE("a device that is none is refused by name", "[nn]") {
  for (const char* const device : {"", "gpu", "cuda0", "cuda:", "cuda:x", "cuda:-1", "cuda:1000", "cpu:1"}) {
    CHECK_THROWS_WITH(trainer_on(device), Catch::Contains("write cpu, cuda or cuda:I"));
  }
}

}  // namespace dipaco

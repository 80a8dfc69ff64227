#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/model/layout.hpp"

namespace dipaco {
namespace {

const ModelOptions kPaper{.blocks = 12, .hidden = 896, .heads = 16, .head_size = 64, .vocabulary = 32000};
const ModelOptions kSmall{.blocks = 3,
                          .hidden = 8,
                          .heads = 2,
                          .key_value_heads = 1,
                          .head_size = 6,
                          .mlp = 10,
                          .vocabulary = 7,
                          .sequence = 5};

/// Blocks 0, 1 | 2 with embedding and final norm.
Topology two_levels() {
  return {{{.blocks = {0, 1}, .embedding = false, .final_norm = false, .experts = 1},
           {.blocks = {2}, .embedding = true, .final_norm = true, .experts = 1}},
          {0, 0}};
}

Topology one_level(const ModelOptions& model) {
  Level level{.blocks = std::vector<std::int64_t>(static_cast<std::size_t>(model.blocks)),
              .embedding = true,
              .final_norm = true,
              .experts = 1};
  std::iota(level.blocks.begin(), level.blocks.end(), 0);
  return {{level}, {0}};
}

const TensorSlot& slot(const PathLayout& layout, const std::string& name) {
  const auto found =
      std::find_if(layout.slots.begin(), layout.slots.end(), [&](const TensorSlot& s) { return s.name == name; });
  REQUIRE(found != layout.slots.end());
  return *found;
}

TEST_CASE("the paper's path has 149.8M parameters within 1 %", "[model]") {
  const PathLayout layout = make_layout(kPaper, one_level(kPaper));
  CHECK(mlp_width(kPaper) == 2392);
  // 12 x (3,670,016 + 6,429,696 + 2 x 896) + 896 x 32,000 + 896
  CHECK(layout.size == 149'890'944);
  CHECK(static_cast<double>(layout.size) == Approx(149.8e6).epsilon(0.01));
}

TEST_CASE("the automatic MLP has the parameters of a plain one of 4 x hidden within 1 % from hidden 384 on",
          "[model]") {
  for (const std::int64_t hidden : {384, 500, 768, 896, 1000, 2048, 4096}) {
    const double plain = 2.0 * 4.0 * static_cast<double>(hidden);
    CHECK(3.0 * static_cast<double>(mlp_width({.hidden = hidden})) == Approx(plain).epsilon(0.01));
    CHECK(mlp_width({.hidden = hidden}) % 8 == 0);
  }
  CHECK(mlp_width({.hidden = 896, .mlp = 2389}) == 2389);
  CHECK(mlp_width({.hidden = 1}) == 8);
}

TEST_CASE("a path's tensors have LlamaForCausalLM's names and shapes and follow one another without gaps", "[model]") {
  const PathLayout layout = make_layout(kSmall, two_levels());
  using Shape = std::vector<std::int64_t>;
  CHECK(slot(layout, "model.embed_tokens.weight").shape == Shape{7, 8});
  CHECK(slot(layout, "model.norm.weight").shape == Shape{8});
  for (const std::string block : {"model.layers.0.", "model.layers.1.", "model.layers.2."}) {
    CHECK(slot(layout, block + "input_layernorm.weight").shape == Shape{8});
    CHECK(slot(layout, block + "post_attention_layernorm.weight").shape == Shape{8});
    CHECK(slot(layout, block + "self_attn.q_proj.weight").shape == Shape{12, 8});
    CHECK(slot(layout, block + "self_attn.k_proj.weight").shape == Shape{6, 8});
    CHECK(slot(layout, block + "self_attn.v_proj.weight").shape == Shape{6, 8});
    CHECK(slot(layout, block + "self_attn.o_proj.weight").shape == Shape{8, 12});
    CHECK(slot(layout, block + "mlp.gate_proj.weight").shape == Shape{10, 8});
    CHECK(slot(layout, block + "mlp.up_proj.weight").shape == Shape{10, 8});
    CHECK(slot(layout, block + "mlp.down_proj.weight").shape == Shape{8, 10});
  }
  CHECK(layout.slots.size() == 3 * 9 + 2);
  std::size_t end = 0;
  for (const TensorSlot& s : layout.slots) {
    CHECK(s.offset == end);
    end += s.size;
  }
  CHECK(end == layout.size);
}

TEST_CASE("a level's tensors are one part of the path, and the parts are the path", "[model]") {
  const PathLayout layout = make_layout(kSmall, two_levels());
  REQUIRE(layout.levels.size() == 2);
  // A block: 2 norms of 8, q and o of 8 x 12, k and v of 8 x 6, three of 8 x 10.
  const std::size_t block = 2 * 8 + 2 * 96 + 2 * 48 + 3 * 80;
  CHECK(layout.levels[0].offset == 0);
  CHECK(layout.levels[0].size == 2 * block);
  CHECK(layout.levels[1].offset == 2 * block);
  CHECK(layout.levels[1].size == block + 7 * 8 + 8);
  CHECK(layout.levels[1].offset + layout.levels[1].size == layout.size);
  CHECK(slot(layout, "model.layers.2.input_layernorm.weight").offset == layout.levels[1].offset);
  std::vector<float> path(layout.size);
  CHECK(layout.part(std::span(path), 1).data() == path.data() + 2 * block);
}

TEST_CASE("shapes that do not fit are refused by name", "[model]") {
  const auto layout_of = [](ModelOptions model) { return make_layout(model, one_level(model)); };
  CHECK_THROWS_WITH(layout_of({.heads = 6, .key_value_heads = 4}), Catch::Contains("key_value_heads=4"));
  CHECK_THROWS_WITH(layout_of({.head_size = 7}), Catch::Contains("head_size=7"));
  CHECK_THROWS_AS(layout_of({.hidden = 0}), ConfigError);
}

TEST_CASE("an inner step of the paper's path costs what docs/cost-model.md works out", "[model]") {
  CHECK(inner_step_flops(kPaper, 1) == 3.0 * (2.0 * 149'868'544 + 50'331'648));
  CHECK(inner_step_flops(kPaper, 512 * 1024) == Approx(5.506e14).epsilon(1e-3));
}

TEST_CASE("a step that computes its blocks again costs them once more, forward, without the head", "[model]") {
  CHECK(recompute_flops(kPaper, 1) == 2.0 * 121'196'544 + 50'331'648);
  CHECK(recompute_flops(kPaper, 512 * 1024) / inner_step_flops(kPaper, 512 * 1024) == Approx(0.279).epsilon(1e-2));
}

TEST_CASE("grouped heads cost fewer operations, in their own matrices alone", "[model]") {
  ModelOptions grouped = kPaper;
  grouped.key_value_heads = 4;
  // Keys and values of 12 heads of size 64 less, in 12 blocks.
  CHECK(inner_step_flops(kPaper, 1) - inner_step_flops(grouped, 1) == 3.0 * 2.0 * 12 * 2 * 896 * 12 * 64);
}

TEST_CASE("the random start has norms of 1 and deviations of 0.02, smaller into the residual stream", "[model]") {
  const ModelOptions model{.blocks = 2, .hidden = 64, .heads = 4, .head_size = 32, .vocabulary = 500};
  const PathLayout layout = make_layout(model, one_level(model));
  const std::vector<float> start = initial_parameters(layout, model, 3);
  for (const TensorSlot& s : layout.slots) {
    const std::span<const float> part = std::span(start).subspan(s.offset, s.size);
    if (s.shape.size() == 1) {
      CHECK(std::all_of(part.begin(), part.end(), [](float x) { return x == 1.0F; }));
      continue;
    }
    double squares = 0;
    for (const float x : part) squares += static_cast<double>(x) * x;
    const bool residual = s.name.ends_with("o_proj.weight") || s.name.ends_with("down_proj.weight");
    // Divided by sqrt(2 x 2 blocks) = 2.
    CHECK(std::sqrt(squares / static_cast<double>(s.size)) == Approx(residual ? 0.01 : 0.02).epsilon(0.05));
  }
}

TEST_CASE("the random start depends on the seed and not on how levels are cut", "[model]") {
  const PathLayout one = make_layout(kSmall, one_level(kSmall));
  const PathLayout two = make_layout(kSmall, two_levels());
  const auto values = [](const PathLayout& layout, std::uint64_t seed, const std::string& name) {
    const std::vector<float> all = initial_parameters(layout, kSmall, seed);
    const TensorSlot& s = slot(layout, name);
    return std::vector<float>(all.begin() + static_cast<std::ptrdiff_t>(s.offset),
                              all.begin() + static_cast<std::ptrdiff_t>(s.offset + s.size));
  };
  CHECK(initial_parameters(one, kSmall, 1) == initial_parameters(one, kSmall, 1));
  CHECK(values(one, 1, "model.embed_tokens.weight") != values(one, 2, "model.embed_tokens.weight"));
  CHECK(values(one, 1, "model.embed_tokens.weight") == values(two, 1, "model.embed_tokens.weight"));
  CHECK(values(one, 1, "model.layers.2.mlp.up_proj.weight") == values(two, 1, "model.layers.2.mlp.up_proj.weight"));
  CHECK(values(one, 1, "model.layers.0.mlp.up_proj.weight") != values(one, 1, "model.layers.1.mlp.up_proj.weight"));
}

}  // namespace
}  // namespace dipaco

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "core/model/layout.hpp"
#include "core/model/step_memory.hpp"

namespace dipaco {
namespace {

double gib(Bytes bytes) { return static_cast<double>(bytes.value) / (1 << 30); }

}  // namespace

TEST_CASE("the memory of an inner step is that of docs/cost-model.md", "[model]") {
  const StepMemory paper = step_memory({}, {.bf16 = true});
  CHECK(paper.state.value == 18U * 149'890'944);
  const Topology one{{{.blocks = {0, 1}, .embedding = true, .final_norm = true, .experts = 1}}, {0}};
  const ModelOptions grouped{
      .blocks = 2, .hidden = 8, .heads = 2, .key_value_heads = 1, .head_size = 6, .vocabulary = 7};
  CHECK(step_memory(grouped, {}).state.value == 16 * make_layout(grouped, one).size);
  // 12 blocks x 1,024 tokens x (4 x 896 + 6 x 1,024 + 3 x 2,392) values of 2 bytes
  CHECK(paper.row.value == 12U * 1024 * 16'904 * 2);
  CHECK(paper.logits.value == 1024U * 32'000 * 2);
  CHECK(paper.with(1).value == paper.state.value + paper.row.value + paper.logits.value);
  CHECK(paper.with(32).value == paper.state.value + 32 * paper.row.value + (1U << 29));
}

TEST_CASE("the memory of an inner step is near what a GPU had", "[model]") {
  struct Measured {  // docs/results/gpus.md
    std::string name;
    ModelOptions model;
    StepForm form;
    std::int64_t rows;
    double gib;
    double within = 0.05;
  };
  const ModelOptions paper;
  const ModelOptions large{.blocks = 20, .hidden = 2048, .heads = 32};
  const ModelOptions long_rows{.sequence = 8192};
  for (const Measured& one : {Measured{"32 rows", paper, {.bf16 = true}, 32, 15.9},
                              {"8 rows", paper, {.bf16 = true}, 8, 6.3},
                              {"64 rows", paper, {.bf16 = true}, 64, 28.6},
                              {"recompute", paper, {.bf16 = true, .recompute = true}, 32, 5.4, 0.15},
                              {"long rows", long_rows, {.bf16 = true}, 4, 15.9},
                              {"1.07B", large, {.bf16 = true}, 8, 30.2},
                              {"fp32", paper, {}, 8, 10.3}}) {
    INFO(one.name);
    CHECK(gib(step_memory(one.model, one.form).with(one.rows)) == Approx(one.gib).epsilon(one.within));
  }
}

TEST_CASE("as many rows fit as have room, and no more", "[model]") {
  for (const bool bf16 : {false, true}) {
    const StepMemory memory = step_memory({}, {.bf16 = bf16});
    CHECK(memory.rows_in({memory.state.value - 1}) == 0);
    CHECK(memory.rows_in(memory.state) == 0);
    for (const std::int64_t rows : {1, 2, 7, 8, 9, 64}) {
      CHECK(memory.rows_in(memory.with(rows)) == rows);
      CHECK(memory.rows_in({memory.with(rows).value - 1}) == rows - 1);
    }
  }
}

}  // namespace dipaco

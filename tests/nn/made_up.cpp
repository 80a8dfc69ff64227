#include "tests/nn/made_up.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/trainer/transformer_router.hpp"

namespace dipaco::testing {

ModelOptions tiny_model() {
  return {.blocks = 2,
          .hidden = 8,
          .heads = 4,
          .key_value_heads = 2,
          .head_size = 4,
          .mlp = 12,
          .vocabulary = 11,
          .sequence = 16};
}

PathLayout layout_of(const ModelOptions& model) {
  Level level{.blocks = std::vector<std::int64_t>(static_cast<std::size_t>(model.blocks)),
              .embedding = true,
              .final_norm = true,
              .experts = 1};
  std::iota(level.blocks.begin(), level.blocks.end(), 0);
  return make_layout(model, Topology({level}, {0}));
}

std::shared_ptr<const Trainer> trainer_for(const ModelOptions& model, const InnerOptions& inner) {
  return load_trainer({model, inner, layout_of(model)});
}

std::shared_ptr<const Trainer> trainer_on(const std::string& device, Kernels kernels, const std::string& precision) {
  const ModelOptions model = tiny_model();
  TrainerOptions options;
  options.model = model;
  options.layout = layout_of(model);
  options.inner.warmup = 2;
  options.inner.precision = precision;
  options.device = device;
  options.kernels = kernels;
  return load_trainer(options);
}

TrainState start_of(const ModelOptions& model, std::uint64_t seed) {
  const PathLayout layout = layout_of(model);
  TrainState state{.parameters = std::vector<float>(layout.size),
                   .first_moment = std::vector<float>(layout.size),
                   .second_moment = std::vector<float>(layout.size),
                   .step = {}};
  // Larger than a real start, so that every part of the model matters; norms near 1.
  for (const TensorSlot& slot : layout.slots) {
    for (std::size_t k = slot.offset; k < slot.offset + slot.size; ++k) {
      const double draw = draw_normal(seed, Draw::jitter, k);
      state.parameters[k] = static_cast<float>(slot.shape.size() == 1 ? 1 + 0.1 * draw : 0.4 * draw);
    }
  }
  return state;
}

Batch pack(const std::vector<std::vector<Document>>& rows, std::int64_t length, std::int64_t prefix) {
  const std::size_t size = rows.size() * static_cast<std::size_t>(length);
  Batch batch{.rows = static_cast<std::int64_t>(rows.size()),
              .length = length,
              .tokens = std::vector<std::int32_t>(size),
              .targets = std::vector<std::int32_t>(size, Batch::kNoTarget),
              .segments = std::vector<std::int32_t>(size, Batch::kPadding),
              .positions = std::vector<std::int32_t>(size)};
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::size_t at = row * static_cast<std::size_t>(length);
    for (std::size_t segment = 0; segment < rows[row].size(); ++segment) {
      const Document& document = rows[row][segment];
      for (std::size_t t = 0; t < document.size(); ++t, ++at) {
        batch.tokens[at] = document[t];
        batch.segments[at] = static_cast<std::int32_t>(segment);
        batch.positions[at] = static_cast<std::int32_t>(t);
        const bool in_loss = t + 1 < document.size() && static_cast<std::int64_t>(t + 1) >= prefix;
        if (in_loss) batch.targets[at] = document[t + 1];
      }
    }
    check(at <= (row + 1) * static_cast<std::size_t>(length), "documents fit their row");
  }
  return batch;
}

Document made_up_document(std::int64_t size, std::int64_t vocabulary, std::uint64_t seed) {
  Document document;
  for (std::int64_t t = 0; t < size; ++t) {
    document.push_back(static_cast<std::int32_t>(
        draw_below(static_cast<std::uint64_t>(vocabulary), seed, Draw::jitter, static_cast<std::uint64_t>(t))));
  }
  return document;
}

Batch made_up_batch(const ModelOptions& model, InnerSteps step) {
  const std::uint64_t seed = static_cast<std::uint64_t>(step.value) * 10;
  const auto document = [&](std::int64_t size, std::uint64_t k) {
    return made_up_document(size, model.vocabulary, seed + k);
  };
  return pack({{document(16, 1)},
               {document(9, 2), document(7, 3)},
               {document(5, 4), document(4, 5), document(6, 6)},
               {document(12, 7)}},
              16, 3);
}

BatchSource made_up_batches(const ModelOptions& model) {
  return [model](InnerSteps step) { return made_up_batch(model, step); };
}

RouterBatch with_paths(Batch batch, const PathRule& rule) {
  RouterBatch result{std::move(batch), {}};
  for (std::size_t at = 0; at < result.batch.tokens.size(); ++at) {
    const bool has_path = result.batch.segments[at] != Batch::kPadding && result.batch.positions[at] > 0;
    result.paths.push_back(has_path ? rule(result.batch, at) : Batch::kNoTarget);
  }
  return result;
}

RouterBatch made_up_router_batch(const ModelOptions& model, std::int32_t path_count, InnerSteps step) {
  const auto drawn = [&](const Batch& /*batch*/, std::size_t at) {
    const auto below = static_cast<std::uint64_t>(path_count);
    return static_cast<std::int32_t>(draw_below(below, 7, Draw::jitter, static_cast<std::uint64_t>(step.value), at));
  };
  return with_paths(made_up_batch(model, step), drawn);
}

TrainState router_of(const ModelOptions& model, std::int32_t path_count) {
  TrainState state = router_start(start_of(model).parameters, model.hidden, path_count);
  for (std::size_t k = layout_of(model).size; k < state.parameters.size(); ++k) {
    state.parameters[k] = static_cast<float>(0.4 * draw_normal(2, Draw::jitter, k));
  }
  return state;
}

InnerReport train(const Trainer& trainer, TrainState& state, const BatchSource& batches, const InnerPlan& plan) {
  const std::atomic<bool> stop{false};
  const InnerReport report = trainer.inner_steps(state, batches, plan, stop);
  CHECK(report.done == plan.count);
  return report;
}

bool same_bits(const TrainState& a, const TrainState& b) {
  const auto same = [](const std::vector<float>& x, const std::vector<float>& y) {
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
  };
  return same(a.parameters, b.parameters) && same(a.first_moment, b.first_moment) &&
         same(a.second_moment, b.second_moment) && a.step == b.step;
}

}  // namespace dipaco::testing

#include "core/plan/learner.hpp"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/eval/side_by_side.hpp"
#include "core/outer/policies.hpp"
#include "core/routing/linear_router.hpp"
#include "core/trainer/empty_trainer.hpp"

namespace dipaco {
namespace {

/// Path numbers as a message carries them: exact, as 24 bits hold more paths than there are.
std::vector<PathId> to_paths(std::span<const float> numbers) {
  std::vector<PathId> paths;
  paths.reserve(numbers.size());
  for (const float number : numbers) paths.push_back(PathId{static_cast<std::int32_t>(number)});
  return paths;
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace

Learner::Learner(const RunConfig& config, std::int32_t paths)
    : learns_(false),
      trainer_(std::make_shared<const EmptyTrainer>()),
      config_(config),
      threads_{},
      exchange_(Exchange::parameters),
      shards_(static_cast<std::size_t>(paths)),
      score_{} {
  Prepared nothing;
  nothing.shards.resize(shards_.size());
  prepared_ = std::make_shared<const Prepared>(std::move(nothing));
}

Learner::Learner(const RunConfig& config, std::shared_ptr<const Prepared> prepared,
                 std::shared_ptr<const Trainer> trainer, LearnerThreads threads, Exchange exchange)
    : learns_(true),
      prepared_(std::move(prepared)),
      trainer_(std::move(trainer)),
      config_(config),
      threads_(threads),
      exchange_(exchange),
      total_(prepared_->start.step + InnerSteps{config.outer.steps * config.inner.steps}),
      score_{.rows = rows_at_a_time(config.inner),
             .sequence = evaluation_sequence(config),
             .prefix = config.routing.prefix,
             .threads = 1} {
  for (std::int32_t path = 0; path < static_cast<std::int32_t>(prepared_->shards.size()); ++path) {
    shards_.push_back(make_shard(0, PathId{path}, prepared_->shards[static_cast<std::size_t>(path)]));
  }
}

std::shared_ptr<const PathShard> Learner::make_shard(std::int32_t phase, PathId path, Shard documents) const {
  if (!learns_) return nullptr;
  const std::size_t paths = prepared_->shards.size();
  const auto number = static_cast<std::size_t>(index(path));
  ShardReader reader(prepared_->tokens, documents.train,
                     {.rows = config_.inner.batch,
                      .length = config_.model.sequence,
                      .prefix = config_.routing.prefix,
                      .seed = config_.run.seed,
                      // From 1 on; dense training's and the window router's are far above.
                      .stream = static_cast<std::size_t>(phase) * paths + number + 1,
                      .name = "path " + std::to_string(number)});
  return std::make_shared<const PathShard>(PathShard{std::move(documents), std::move(reader)});
}

InnerReport Learner::inner_steps(const std::shared_ptr<const PathShard>& shard, TrainState& state, InnerSteps count,
                                 InnerSteps sat_out, const std::atomic<bool>& stop) const {
  if (exchange_ == Exchange::gradients) return gradient(*shard, state, stop);
  return trainer_->inner_steps(
      state, [&shard](InnerSteps step) { return shard->reader.batch(step); },
      {.count = count, .total = total_, .threads = threads_.ranks, .ranks = config_.inner.ranks, .sat_out = sat_out},
      stop);
}

InnerReport Learner::gradient(const PathShard& shard, TrainState& state, const std::atomic<bool>& stop) const {
  if (stop) return {};
  BatchGradient one = trainer_->gradient(state.parameters, shard.reader.batch(state.step), state.step);
  state.parameters = std::move(one.values);
  state.step += InnerSteps{1};
  return {
      .done = InnerSteps{1}, .loss_sum = one.loss, .last_loss = one.loss, .trained = one.trained, .losses = {one.loss}};
}

Score Learner::score(const std::vector<DocumentId>& documents, std::span<const float> parameters) const {
  if (!learns_) return {};
  return score_documents(*trainer_, parameters, *prepared_->tokens, documents, score_).total;
}

Tokens Learner::tokens_of(const std::vector<DocumentId>& documents, std::int64_t most) const {
  Tokens sum;
  for (const DocumentId id : documents) {
    const std::int64_t all = prepared_->tokens->document(id).tokens;
    sum += Tokens{most == 0 ? all : std::min(most, all)};
  }
  return sum;
}

std::int32_t Learner::routed_documents() const {
  return static_cast<std::int32_t>(prepared_->splits.train.size() + prepared_->splits.validation.size());
}

std::vector<float> Learner::score_router_documents(std::span<const float> parameters) const {
  if (!learns_) return {};
  ScoreOptions options = score_;
  options.most = config_.routing.label_tokens;
  const auto nats = score_each_document(*trainer_, parameters, *prepared_->tokens, router_documents(), options);
  return {nats.begin(), nats.end()};
}

FeatureSource Learner::features() const {
  return {*trainer_, prepared_->start.parameters, *prepared_->tokens, config_.routing.prefix};
}

/// Of a router for the charged model: a weight for each path and feature, and a bias for each path, in fp32.
std::string Learner::router_of_size() const {
  const std::int64_t width = config_.charge ? config_.charge->model.hidden : config_.model.hidden;
  return std::string(shards_.size() * static_cast<std::size_t>(width + 1) * sizeof(float), '\0');
}

std::string Learner::fit_router(std::span<const float> labels) const {
  if (!learns_) return router_of_size();
  FeatureSource source = features();
  source.threads = threads_.fit;
  const auto features = features_of(source, router_documents());
  check(!features.empty(), "there are router documents");
  const auto router = fit_linear_router(features, to_paths(labels),
                                        {.paths = static_cast<std::int32_t>(prepared_->shards.size()),
                                         .width = std::ssize(features) / std::ssize(router_documents()),
                                         .calibrate_bias = config_.routing.calibrate_bias,
                                         .side_by_side = on_threads(threads_.fit)},
                                        *trainer_);
  const auto bytes = router->encode();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<float> Learner::route(const std::string& router, std::int32_t first, std::int32_t count) const {
  if (!learns_) return {};
  const Splits& splits = prepared_->splits;
  std::vector<DocumentId> documents;
  for (std::int32_t i = first; i < first + count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::size_t behind = at - std::min(at, splits.train.size());
    documents.push_back(at < splits.train.size() ? splits.train[at] : splits.validation[behind]);
  }
  const auto read = read_router(bytes_of(router), "the router of this phase", *trainer_, config_.parts->routers);
  const auto routes = route_documents(features(), *read, documents, static_cast<std::int32_t>(config_.routing.overlap));
  std::vector<float> numbers;
  numbers.reserve(routes.size());
  for (const PathId path : routes) numbers.push_back(static_cast<float>(index(path)));
  return numbers;
}

std::vector<Shard> Learner::make_shards(std::span<const float> routes, const std::vector<Shard>& before) const {
  if (!learns_) return before;
  const Splits& splits = prepared_->splits;
  const auto best = static_cast<std::size_t>(config_.routing.overlap);
  check(routes.size() == static_cast<std::size_t>(routed_documents()) * best, "each document has its best paths");
  const std::size_t train = splits.train.size() * best;
  std::vector<Shard> shards = dipaco::make_shards(
      *prepared_->tokens, config_.data, splits,
      {static_cast<std::int32_t>(best), to_paths(routes.first(train)), to_paths(routes.subspan(train))},
      static_cast<std::int32_t>(before.size()));
  for (std::size_t path = 0; path < shards.size(); ++path) {
    if (shards[path].train.empty()) shards[path].train = before[path].train;
  }
  return shards;
}

}  // namespace dipaco

#include "core/prepare/start_stage.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/hash.hpp"
#include "core/checkpoint/checkpoint.hpp"
#include "core/prepare/dense.hpp"
#include "core/prepare/keys.hpp"

namespace dipaco {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStartFile = "start.ckpt";

struct NamedPart {
  const char* name;
  std::vector<float> TrainState::*values;
};
constexpr std::array kParts{NamedPart{"parameters", &TrainState::parameters},
                            NamedPart{"first_moment", &TrainState::first_moment},
                            NamedPart{"second_moment", &TrainState::second_moment}};

std::string array_name(const NamedPart& part, const TensorSlot& slot) {
  return std::string(part.name) + "/" + slot.name;
}

std::string model_fact(const ModelOptions& model) {
  Keys keys;
  add_model(keys, model);
  return keys.text();
}

/// Names the documents, in whatever order.
std::string text_fact(const TokenFile& tokens) {
  std::vector<std::uint64_t> hashes;
  for (const DocumentRecord& document : tokens.documents()) hashes.push_back(document.hash);
  std::sort(hashes.begin(), hashes.end());
  return hash_hex(std::as_bytes(std::span(hashes)));
}

/// Which documents a start does not learn from.
void add_split(Keys& keys, const RunConfig& config) {
  keys.add("data.validation_fraction", config.data.validation.empty() ? config.data.validation_fraction : 0.0)
      .add("data.holdout_fraction", config.data.holdout_fraction)
      .add("routing.router_fraction", config.routing.router_fraction);
}

std::string split_fact(const RunConfig& config) {
  Keys keys;
  add_split(keys, config);
  return keys.text();
}

Checkpoint to_checkpoint(const TrainState& state, const Preparation& preparation, const Corpus& corpus) {
  Checkpoint checkpoint;
  checkpoint.facts = {{"kind", "start"},
                      {"step", std::to_string(state.step.value)},
                      {"tokenizer", corpus.tokenizer_hash},
                      {"model", model_fact(preparation.config.model)},
                      {"text", text_fact(*corpus.tokens)},
                      {"split", split_fact(preparation.config)}};
  for (const NamedPart& part : kParts) {
    const std::vector<float>& values = state.*part.values;
    for (const TensorSlot& slot : preparation.layout.slots) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(slot.offset);
      checkpoint.arrays[array_name(part, slot)] = {first, first + static_cast<std::ptrdiff_t>(slot.size)};
    }
  }
  return checkpoint;
}

TrainState to_state(const Checkpoint& checkpoint, const PathLayout& layout, const std::string& source) {
  if (checkpoint.arrays.size() != kParts.size() * layout.slots.size()) {
    throw DataError(source + ": " + std::to_string(checkpoint.arrays.size()) + " arrays, and this model's start has " +
                    std::to_string(kParts.size() * layout.slots.size()) + ": it is another model's");
  }
  TrainState state;
  for (const NamedPart& part : kParts) {
    std::vector<float>& values = state.*part.values;
    values.resize(layout.size);
    for (const TensorSlot& slot : layout.slots) {
      const std::vector<float>& from = checkpoint.array(array_name(part, slot), source);
      if (from.size() != slot.size) {
        throw DataError(source + ": " + array_name(part, slot) + " has " + std::to_string(from.size()) +
                        " numbers, and this model's has " + std::to_string(slot.size) + ": it is another model's");
      }
      std::copy(from.begin(), from.end(), values.begin() + static_cast<std::ptrdiff_t>(slot.offset));
    }
  }
  state.step.value = checkpoint.integer("step", source);
  return state;
}

TrainState pretrain(const Preparation& preparation, const Corpus& corpus) {
  const RunConfig& config = preparation.config;
  TrainState state{.parameters = initial_parameters(preparation.layout, config.model, config.run.seed),
                   .first_moment = std::vector<float>(preparation.layout.size),
                   .second_moment = std::vector<float>(preparation.layout.size),
                   .step = {}};
  train_densely(preparation, corpus, "pretraining", {{config.pretrain.steps}, cosine_end(config)}, state);
  return state;
}

/// The file that pretrain.from names: a stage folder of an earlier preparation, or the file itself.
fs::path given_file(const RunConfig& config, const PrepareOptions& options) {
  const fs::path given = options.folder / config.pretrain.from;
  const fs::path file = fs::is_directory(given) ? given / kStartFile : given;
  if (fs::is_regular_file(file)) return file;
  throw DataError("pretrain.from=" + config.pretrain.from + ": there is no " + file.string() +
                  ": name a folder start-... of an earlier preparation's cache");
}

void require_fact(const Checkpoint& checkpoint, const std::string& fact, const std::string& expected,
                  const std::string& source, const std::string& remedy) {
  const auto found = checkpoint.facts.find(fact);
  if (found != checkpoint.facts.end() && found->second == expected) return;
  throw DataError(source + ": its " + fact + " is " +
                  (found == checkpoint.facts.end() ? "missing" : "\"" + found->second + "\"") +
                  ", and this run's is \"" + expected + "\": " + remedy);
}

/// A start made before, if it fits the run's model, tokenizer and schedule.
Checkpoint given_start(const RunConfig& config, const PathLayout& dense_order, const StartFile& given) {
  const std::string& source = given.source;
  Checkpoint checkpoint = decode_checkpoint(MappedFile(given.file).bytes(), source);
  const auto require = [&](const std::string& fact, const std::string& expected, const std::string& remedy) {
    require_fact(checkpoint, fact, expected, source, given.remedy.empty() ? remedy : given.remedy);
  };
  require("kind", "start", "name a start that `dipaco prepare` made");
  require("model", model_fact(config.model), "set [model] as it was for that start");
  require("tokenizer", given.tokenizer_hash,
          "set data.tokenizer to the tokenizer.model that the start was trained with");
  const TrainState state = to_state(checkpoint, dense_order, source);
  if (state.step.value != config.pretrain.steps) {
    const std::string steps = std::to_string(state.step.value);
    throw ConfigError(source + ": the start has done " + steps +
                      " inner steps and pretrain.steps=" + std::to_string(config.pretrain.steps) +
                      ", from where the schedule goes on: set pretrain.steps=" + steps);
  }
  return checkpoint;
}

/// Documents of the same text that a start has learned are nobody's validation, hold-out or router documents.
void require_split(const Checkpoint& checkpoint, const RunConfig& config, const Corpus& corpus,
                   const std::string& source) {
  const auto text = checkpoint.facts.find("text");
  if (text == checkpoint.facts.end() || text->second != text_fact(*corpus.tokens)) return;
  require_fact(checkpoint, "split", split_fact(config), source,
               "of the same text it would have learned documents that are to be left out; set these keys as they were "
               "for that start, or name no start in pretrain.from");
}

std::string start_keys(const RunConfig& config, const PrepareOptions& options, const std::string& tokens_hash) {
  Keys keys;
  keys.add("format", 3).add("tokens", tokens_hash);
  add_split(keys, config);
  if (!config.pretrain.from.empty()) {
    keys.add("pretrain.from", hash_hex(MappedFile(given_file(config, options)).bytes()));
    keys.add("pretrain.steps", config.pretrain.steps);
    add_model(keys, config.model);
    return keys.text();
  }
  keys.add("pretrain.steps", config.pretrain.steps);
  add_model(keys, config.model);
  add_training(keys, config);
  return keys.text();
}

}  // namespace

StageRequest start_request(const RunConfig& config, const PrepareOptions& options, const std::string& tokens_hash) {
  return {.name = "start", .keys = start_keys(config, options, tokens_hash)};
}

Stage start_stage(const Preparation& preparation, const Stage& tokens, const Corpus& corpus) {
  return open_stage(preparation.options.cache, start_request(preparation.config, preparation.options, tokens.hash),
                    [&](const fs::path& folder) {
                      const bool given = !preparation.config.pretrain.from.empty();
                      if (given) {
                        const fs::path file = given_file(preparation.config, preparation.options);
                        const StartFile start{file, "pretrain.from=" + file.string(), corpus.tokenizer_hash, ""};
                        const Checkpoint checkpoint = given_start(preparation.config, preparation.layout, start);
                        require_split(checkpoint, preparation.config, corpus, start.source);
                        write_file(folder / kStartFile, encode(checkpoint));
                        return;
                      }
                      const Checkpoint start = to_checkpoint(pretrain(preparation, corpus), preparation, corpus);
                      write_file(folder / kStartFile, encode(start));
                    });
}

TrainState read_start_file(const RunConfig& config, const PathLayout& dense_order, const StartFile& given) {
  return to_state(given_start(config, dense_order, given), dense_order, given.source);
}

fs::path start_file(const Stage& stage) { return stage.folder / kStartFile; }

TrainState open_start(const Preparation& preparation, const Stage& stage) {
  const fs::path file = start_file(stage);
  return to_state(decode_checkpoint(MappedFile(file).bytes(), file.string()), preparation.layout, file.string());
}

}  // namespace dipaco

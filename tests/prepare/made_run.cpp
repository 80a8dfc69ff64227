#include "tests/prepare/made_run.hpp"

#include <array>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "core/base/random.hpp"

namespace dipaco::testing {

namespace fs = std::filesystem;

void write_corpus(const fs::path& file, int documents, std::uint64_t seed) {
  const std::array<std::string, 3> letters{"abcdefg", "hijklmn", "opqrstu"};
  std::ofstream out(file);
  std::uint64_t draw = 0;
  const auto below = [&](std::uint64_t n) { return draw_below(n, seed, Draw::jitter, draw++); };
  for (int i = 0; i < documents; ++i) {
    const std::string& own = letters[static_cast<std::size_t>(i) % letters.size()];
    out << R"({"domain": ")" << own[0] << R"(", "text": ")";
    const std::uint64_t words = 20 + below(40);
    for (std::uint64_t word = 0; word < words; ++word) {
      for (std::uint64_t letter = 0; letter < 2 + word % 3; ++letter) out << own[below(own.size())];
      out << ' ';
    }
    out << "\"}\n";
  }
}

RunConfig made_config() {
  RunConfig config;
  config.model = {.blocks = 2, .hidden = 8, .heads = 2, .head_size = 4, .mlp = 8, .vocabulary = 300, .sequence = 48};
  config.topology.levels = "2x2";
  config.data.train = "corpus.jsonl";
  config.data.validation_fraction = 0.2;
  config.data.holdout_fraction = 0.1;
  config.pretrain.steps = 50;
  config.routing.prefix = 8;
  config.inner.steps = 7;
  config.inner.batch = 4;
  config.outer.steps = 3;
  return config;
}

MadeRun::MadeRun(int documents) { write_corpus(folder.path() / "corpus.jsonl", documents); }

PrepareOptions MadeRun::options(int threads) {
  return {.folder = folder.path(),
          .cache = folder.path() / "cache",
          .threads = threads,
          .documents_of_a_lot = documents_of_a_lot,
          .progress = progress,
          .make_trainer = [this](const TrainerOptions& options) {
            made_for.push_back(options.layout);
            return std::shared_ptr<const Trainer>(&trainer, [](const Trainer*) {});
          }};
}

PathLayout MadeRun::layout() const { return make_layout(config.model, topology()); }

Topology MadeRun::topology() const { return make_topology(config.topology, config.model, folder.path()); }

Prepared MadeRun::prepare(int threads) {
  return dipaco::prepare(config, topology(), layout(), trainer, options(threads));
}

PartDone MadeRun::part(std::int64_t index, std::int64_t count) {
  return prepare_part(config, topology(), layout(), trainer, options(1), {.index = index, .count = count});
}

std::optional<Prepared> MadeRun::join() { return join_parts(config, topology(), layout(), trainer, options(1)); }

namespace {

std::vector<fs::path> folders_of(const fs::path& cache, const std::string& stage) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(cache)) {
    if (entry.path().filename().string().starts_with(stage + "-")) found.push_back(entry.path());
  }
  return found;
}

}  // namespace

fs::path MadeRun::stage(const std::string& stage) const {
  const auto found = folders_of(folder.path() / "cache", stage);
  if (found.size() != 1) throw std::runtime_error("not one folder " + stage + "-...");
  return found[0];
}

int MadeRun::stages(const std::string& stage) const {
  return static_cast<int>(folders_of(folder.path() / "cache", stage).size());
}

}  // namespace dipaco::testing

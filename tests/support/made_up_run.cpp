#include "tests/support/made_up_run.hpp"

#include <cstdlib>
#include <vector>

#include "core/base/random.hpp"
#include "tests/support/toy_trainer.hpp"

namespace dipaco {
namespace {

constexpr std::int64_t kVocabulary = 16;

std::shared_ptr<const TokenFile> write_documents(const std::filesystem::path& file, std::int64_t prefix,
                                                 std::size_t documents) {
  TokenFileWriter writer(file, kVocabulary, prefix);
  for (std::uint64_t document = 0; document < documents; ++document) {
    std::vector<std::int32_t> tokens;
    std::vector<std::uint32_t> ends;
    const std::uint64_t size = 6 + draw_below(20, 3, Draw::jitter, document);
    for (std::uint64_t k = 0; k < size; ++k) {
      tokens.push_back(static_cast<std::int32_t>(draw_below(kVocabulary, 4, Draw::jitter, document, k)));
      ends.push_back(static_cast<std::uint32_t>(2 * k + 2));
    }
    writer.add(tokens, ends, draw_bits(5, Draw::jitter, document), static_cast<std::uint32_t>(2 * size), "", false);
  }
  writer.finish();
  return std::make_shared<const TokenFile>(TokenFile::open(file));
}

}  // namespace

MadeUpRun::MadeUpRun(const std::string& levels, const std::string& specific, std::size_t documents)
    : trainer(std::make_shared<const ToyTrainer>()) {
  std::string name = (std::filesystem::temp_directory_path() / "dipaco-XXXXXX").string();
  folder_ = ::mkdtemp(name.data());
  config.name = "made_up";
  config.folder = folder_;
  config.model = {
      .blocks = 4, .hidden = 4, .heads = 1, .head_size = 4, .mlp = 4, .vocabulary = kVocabulary, .sequence = 8};
  config.topology = {.levels = levels, .path_specific = specific};
  config.pretrain.steps = 0;
  config.routing.prefix = 2;
  config.inner.steps = 5;
  config.inner.batch = 2;
  config.outer.steps = 4;
  tokens_ = write_documents(folder_ / "tokens", config.routing.prefix, documents);
}

MadeUpRun::~MadeUpRun() { std::filesystem::remove_all(folder_); }

std::shared_ptr<const Prepared> MadeUpRun::prepared() const {
  const Topology topology = make_topology(config.topology, config.model, folder_);
  const PathLayout layout = make_layout(config.model, topology);
  Prepared made;
  made.hash = "made up";
  made.tokens = tokens_;
  made.start.parameters = initial_parameters(layout, config.model, config.run.seed);
  made.start.first_moment.assign(layout.size, 0.0F);
  made.start.second_moment.assign(layout.size, 0.01F);
  const auto paths = static_cast<std::size_t>(topology.paths());
  made.shards.resize(paths);
  for (std::uint32_t document = 0; document < tokens_->documents().size(); ++document) {
    const std::size_t path = document < paths ? document : draw_below(paths, 6, Draw::jitter, document);
    Shard& shard = made.shards[document % 5 == 4 ? path % ((paths + 1) / 2) : path];  // the first half get more
    const bool validation = document % 7 == 6;
    (validation ? shard.validation : shard.train).push_back(DocumentId{document});
    (validation ? made.splits.validation : made.splits.train).push_back(DocumentId{document});
  }
  made.splits.router = made.splits.train;
  return std::make_shared<const Prepared>(std::move(made));
}

}  // namespace dipaco

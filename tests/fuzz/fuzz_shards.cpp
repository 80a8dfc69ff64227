// Lists of shards (shards.bin).

#include "core/prepare/shard_file.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace dipaco::fuzz {
namespace {

constexpr Seal kSeal{.magic = "DIPACOSH", .version = 1, .noun = "list of shards"};
constexpr std::size_t kDocuments = 100;

}  // namespace

void try_input(Input input) {
  const auto file = file_of(input, kSeal);
  may_refuse([&] {
    const auto shards = decode_shards(file, kDocuments, "input");
    check(encode_shards(shards) == file, "a list of shards has one encoding");
  });
}

std::vector<Seed> seeds() {
  return sealed_seeds(
      encode_shards({{.train = {DocumentId{1}, DocumentId{2}}, .holdout = {DocumentId{0}}, .validation = {}},
                     {.train = {DocumentId{99}}, .holdout = {}, .validation = {DocumentId{5}}}}));
}

}  // namespace dipaco::fuzz

// Token files. An input is a byte and a file; where the byte is odd, the file's checksum is made right.

#include <unistd.h>

#include <cstring>

#include "core/base/file.hpp"
#include "core/base/hash.hpp"
#include "core/data/token_file.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace dipaco::fuzz {
namespace {

void correct_checksum(std::vector<std::byte>& file) {
  std::uint64_t sum = 0;
  if (file.size() < sizeof sum) return;
  sum = checksum(std::span(file).first(file.size() - sizeof sum));
  std::memcpy(file.data() + file.size() - sizeof sum, &sum, sizeof sum);
}

Seed small_file(std::int64_t vocabulary) {
  const std::filesystem::path name =
      std::filesystem::temp_directory_path() / ("dipaco-fuzz-" + std::to_string(::getpid()) + ".bin");
  TokenFileWriter writer(name, vocabulary, 2);
  const std::vector<std::int32_t> tokens{5, 6, 7, 1};
  const std::vector<std::uint32_t> ends{1, 2, 3, 3};
  writer.add(tokens, ends, 11, 3, "news", false);
  writer.add(std::span(tokens).last(2), std::span(ends).first(2), 12, 2, "", true);
  writer.finish();
  Seed seed{std::byte{1}};
  for (const std::byte byte : read_file(name)) seed.push_back(byte);
  std::filesystem::remove(name);
  return seed;
}

}  // namespace

void try_input(Input input) {
  if (input.empty()) return;
  std::vector<std::byte> bytes(input.begin() + 1, input.end());
  if ((std::to_integer<unsigned>(input.front()) & 1U) != 0) correct_checksum(bytes);
  const InputFile file(bytes);
  may_refuse([&] {
    const TokenFile tokens = TokenFile::open(file.path());
    for (std::size_t i = 0; i < tokens.documents().size(); ++i) {
      std::vector<std::int32_t> copy(tokens.documents()[i].tokens);
      tokens.copy_tokens(DocumentId{static_cast<std::uint32_t>(i)}, 0, copy);
      for (const std::int32_t token : copy) check(token >= 0 && token < tokens.vocabulary(), "a token is known");
    }
  });
}

std::vector<Seed> seeds() { return {small_file(1000), small_file(100000)}; }

}  // namespace dipaco::fuzz

// What every fuzz target shares: libFuzzer's two entry points, seeds and files.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "core/base/file.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace dipaco::fuzz {

InputFile::InputFile(Input bytes) : descriptor_(::memfd_create("input", MFD_CLOEXEC)) {
  check(descriptor_ >= 0, "a file in memory can be made");
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
    check(done > 0, "a file in memory can be written");
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

InputFile::~InputFile() { ::close(descriptor_); }

std::filesystem::path InputFile::path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

std::string_view as_text(Input input) { return {reinterpret_cast<const char*>(input.data()), input.size()}; }

Seed as_seed(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

std::vector<Seed> source_files(const std::string& folder, const std::string& ending) {
  std::vector<Seed> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(DIPACO_SOURCE_DIR) / folder)) {
    if (entry.path().extension() == ending) files.push_back(read_file(entry.path()));
  }
  return files;
}

std::vector<std::byte> file_of(Input input, const Seal& seal) {
  if (input.empty()) return {};
  const Input rest = input.subspan(1);
  const bool body = (std::to_integer<unsigned>(input.front()) & 1U) != 0;
  if (!body) return {rest.begin(), rest.end()};
  ByteWriter writer = begin_sealed(seal);
  writer.raw(rest);
  return finish_sealed(std::move(writer));
}

std::vector<Seed> sealed_seeds(Input file) {
  constexpr std::size_t kChecksumSize = 8;
  Seed whole{std::byte{0}};
  whole.insert(whole.end(), file.begin(), file.end());
  Seed body{std::byte{1}};
  body.insert(body.end(), file.begin() + kSealSize, file.end() - kChecksumSize);
  return {whole, body};
}

}  // namespace dipaco::fuzz

/// The seeds go into the first folder named on the command line: the corpus that libFuzzer starts from.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const std::span arguments(*argv + 1, static_cast<std::size_t>(*argc - 1));
  const auto folder = std::find_if(arguments.begin(), arguments.end(),
                                   [](const char* name) { return std::filesystem::is_directory(name); });
  if (folder == arguments.end()) return 0;
  int number = 0;
  for (const dipaco::fuzz::Seed& seed : dipaco::fuzz::seeds()) {
    dipaco::write_file(std::filesystem::path(*folder) / ("seed-" + std::to_string(number++)), seed);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  dipaco::fuzz::try_input(std::as_bytes(std::span(bytes, size)));
  return 0;
}

#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/sealed.hpp"

// Each fuzz_NAME.cpp is a libFuzzer program that gives one format's reader any bytes. A reader either takes them or
// throws ConfigError or DataError; all else (a crash, a check() of ours, a huge allocation, a hang) is a finding.

namespace dipaco::fuzz {

using Input = std::span<const std::byte>;
using Seed = std::vector<std::byte>;

/// What a target does with an input; each target defines it.
void try_input(Input input);
/// Valid inputs to start from; each target defines them.
std::vector<Seed> seeds();

/// Calls `read`, which may refuse.
template <class Read>
void may_refuse(Read read) {
  try {
    read();
  } catch (const ConfigError&) {
  } catch (const DataError&) {
  }
}

/// The bytes as a file without a place on a disk, for readers that open one.
class InputFile {
 public:
  explicit InputFile(Input bytes);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();
  std::filesystem::path path() const;

 private:
  int descriptor_;
};

std::string_view as_text(Input input);
Seed as_seed(std::string_view text);

/// The files in a folder of the source tree that have this ending, as seeds.
std::vector<Seed> source_files(const std::string& folder, const std::string& ending);

/// An input for a sealed format is a byte and a file, or (odd byte) a body that gets its seal and right checksum: a
/// checksum keeps chance away from all that is behind it.
std::vector<std::byte> file_of(Input input, const Seal& seal);
/// Two such inputs for a valid file: as it is, and its body alone.
std::vector<Seed> sealed_seeds(Input file);

}  // namespace dipaco::fuzz

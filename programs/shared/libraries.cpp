#include <boost/version.hpp>

#include "programs/shared/command_line.hpp"

namespace dipaco {

std::vector<Library> core_libraries() {
  std::vector<Library> libraries{
      {"Boost", std::to_string(BOOST_VERSION / 100000) + "." + std::to_string(BOOST_VERSION / 100 % 1000)},
      {"SentencePiece", DIPACO_SENTENCEPIECE_VERSION},
      {"xxHash", DIPACO_XXHASH_VERSION},
      {"zlib", DIPACO_ZLIB_VERSION},
      {"nlohmann-json", DIPACO_JSON_VERSION},
      {"LibTorch", DIPACO_TORCH_VERSION},
  };
  return libraries;
}

}  // namespace dipaco

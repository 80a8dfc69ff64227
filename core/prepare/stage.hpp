#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace dipaco {

/// A part of the preparation that is made once for its keys: the folder NAME-HASH of the cache.
struct Stage {
  std::filesystem::path folder;
  std::string hash;      ///< of name and keys; the next stage's keys hold it
  std::string contents;  ///< hash of the names and hashes of its files
};

/// The file in a stage's folder that has StageRequest::keys.
constexpr const char* kKeysFile = "keys.txt";

struct StageRequest {
  std::string name;  ///< "tokens"
  std::string keys;  ///< all that may change a byte of it, a line "key=value" each, and nothing else
};

/// Its Stage::hash.
std::string stage_hash(const StageRequest& request);

bool has_stage(const std::filesystem::path& cache, const StageRequest& request);

/// Where it is there. What cannot be removed stays.
void remove_stage(const std::filesystem::path& cache, const StageRequest& request);

/// Opens the stage, or makes it: `make` writes files into the folder it is given, which gets the stage's name once
/// every file is durable. So a killed preparation leaves no half stage; what it did leave is removed by the next one.
/// Two programs that make the same stage at once do so in folders of their own, and the first to be done counts: what
/// `make` throws once the stage is there does not. `make` is called again where another program has removed the stage
/// before it was read.
/// @throws DataError where a file of the stage is missing or differs from what was written, naming it
Stage open_stage(const std::filesystem::path& cache, const StageRequest& request,
                 const std::function<void(const std::filesystem::path& folder)>& make);

}  // namespace dipaco

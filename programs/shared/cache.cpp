#include "programs/shared/cache.hpp"

#include <cstdlib>

#include "core/base/error.hpp"

namespace dipaco {

std::filesystem::path prepared_cache() {
  const char* cache = std::getenv("DIPACO_CACHE");
  if (cache != nullptr && *cache != '\0') return std::filesystem::path(cache) / "prepared";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return std::filesystem::path(home) / ".cache/dipaco/prepared";
  throw ConfigError("no place for prepared data: neither DIPACO_CACHE nor HOME is set; set DIPACO_CACHE to a folder");
}

}  // namespace dipaco

#include "core/storage/directory_storage.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/file.hpp"

namespace dipaco {

bool DirectoryStorage::put_if_absent(const std::string& key, std::span<const std::byte> value) {
  if (std::filesystem::exists(file(key))) return false;
  write_file(file(key), value);
  return true;
}

void DirectoryStorage::put(const std::string& key, std::span<const std::byte> value) { write_file(file(key), value); }

std::optional<std::vector<std::byte>> DirectoryStorage::get(const std::string& key) const {
  if (!std::filesystem::exists(file(key))) return std::nullopt;
  return read_file(file(key));
}

std::vector<std::string> DirectoryStorage::list(const std::string& prefix) const {
  std::vector<std::string> keys;
  if (!std::filesystem::exists(folder_)) return keys;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
    const std::string key = entry.path().lexically_relative(folder_).generic_string();
    if (entry.is_regular_file() && key.starts_with(prefix) && !key.ends_with(".part")) keys.push_back(key);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

void DirectoryStorage::remove(const std::string& key) {
  std::error_code error;
  std::filesystem::remove(file(key), error);
  if (error) throw DataError(file(key).string() + ": cannot remove: " + error.message());
}

void DirectoryStorage::append(const std::string& log, std::span<const std::byte> record) {
  append_file(file(log), record);
}

}  // namespace dipaco

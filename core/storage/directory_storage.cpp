#include "core/storage/directory_storage.hpp"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/file.hpp"

namespace dipaco {
namespace {

constexpr std::string_view kAside = ".part";  // write_file's ending for what is not whole yet

[[noreturn]] void fail(const std::filesystem::path& file, const char* doing, const std::error_code& error) {
  throw DataError(file.string() + ": cannot " + doing + ": " + error.message() + "; check its permissions");
}

bool is_there(const std::filesystem::path& file) {
  std::error_code error;
  const bool there = std::filesystem::exists(file, error);
  if (error) fail(file, "look it up", error);
  return there;
}

/// Calls `visit` for each regular file in `folder` and its subfolders; a folder that is not there has none.
template <class Visit>
void for_each_file(const std::filesystem::path& folder, Visit visit) {
  if (!is_there(folder)) return;
  try {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) visit(entry.path());
    }
  } catch (const std::filesystem::filesystem_error& error) {
    fail(folder, "list the folder", error.code());
  }
}

void remove_file(const std::filesystem::path& file) {
  std::error_code error;
  std::filesystem::remove(file, error);
  if (error) fail(file, "remove", error);
}

}  // namespace

DirectoryStorage::DirectoryStorage(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::vector<std::filesystem::path> left;
  for_each_file(folder_, [&](const std::filesystem::path& file) {
    if (file.native().ends_with(kAside)) left.push_back(file);
  });
  for (const auto& file : left) remove_file(file);
}

std::filesystem::path DirectoryStorage::file(const std::string& key) const {
  check_key(key);
  return folder_ / key;
}

bool DirectoryStorage::put_if_absent(const std::string& key, const ToStore& value) {
  if (is_there(file(key))) return false;
  write_file(file(key), value.bytes);
  return true;
}

void DirectoryStorage::put(const std::string& key, const ToStore& value) { write_file(file(key), value.bytes); }

std::optional<std::vector<std::byte>> DirectoryStorage::get(const std::string& key) const {
  if (!is_there(file(key))) return std::nullopt;
  return read_file(file(key));
}

std::vector<std::string> DirectoryStorage::list(const std::string& prefix) const {
  std::vector<std::string> keys;
  for_each_file(folder_, [&](const std::filesystem::path& file) {
    std::string key = file.lexically_relative(folder_).generic_string();
    if (key.starts_with(prefix) && !key.ends_with(kAside)) keys.push_back(std::move(key));
  });
  std::sort(keys.begin(), keys.end());
  return keys;
}

// The folder is not synced: a value that is back after a power cut is one that its owner would not mind to find
// (Storage::remove), and a sync of the folder costs as much as a write.
void DirectoryStorage::remove(const std::string& key) { remove_file(file(key)); }

void DirectoryStorage::append(const std::string& log, std::span<const std::byte> record) {
  append_file(file(log), record);
}

}  // namespace dipaco

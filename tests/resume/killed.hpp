#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "core/storage/directory_storage.hpp"

namespace dipaco::testing {

/// Does `what` in a child process, which is killed by SIGKILL once `time` has passed; returns what it returned, or
/// nullopt where it was killed before. An exception comes back as "threw: ...".
std::optional<std::string> in_child_for(std::chrono::microseconds time, const std::function<std::string()>& what);

/// Never kills.
inline constexpr std::chrono::microseconds kWhole = std::chrono::hours(1);

/// A folder whose process is killed in its `last`th write, counted from 0: before it, or with half of it done.
class DeadlyStorage : public DirectoryStorage {
 public:
  DeadlyStorage(const std::filesystem::path& folder, int last)
      : DirectoryStorage(folder), folder_(folder), left_(last) {}
  bool put_if_absent(const std::string& key, const ToStore& value) override;
  void put(const std::string& key, const ToStore& value) override;
  void remove(const std::string& key) override;
  void append(const std::string& log, std::span<const std::byte> record) override;

 private:
  bool last() { return left_-- <= 0; }

  std::filesystem::path folder_;
  int left_;
};

/// Files below `folder`, and how many bytes they have.
struct Used {
  int files = 0;
  std::uintmax_t bytes = 0;
  bool whole = true;  ///< no file is one that a write left in its middle
};
Used used(const std::filesystem::path& folder);

}  // namespace dipaco::testing

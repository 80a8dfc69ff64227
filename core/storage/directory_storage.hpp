#pragma once

#include <filesystem>

#include "core/storage/storage.hpp"

namespace dipaco {

/// Values as files of one folder, a key's slashes being subfolders. Each is written aside, synced and renamed.
class DirectoryStorage : public Storage {
 public:
  /// Removes what writes left there whose process was killed. @throws DataError where it cannot
  explicit DirectoryStorage(std::filesystem::path folder);
  bool put_if_absent(const std::string& key, const ToStore& value) override;
  void put(const std::string& key, const ToStore& value) override;
  std::optional<std::vector<std::byte>> get(const std::string& key) const override;
  std::vector<std::string> list(const std::string& prefix) const override;
  void remove(const std::string& key) override;
  void append(const std::string& log, std::span<const std::byte> record) override;

 private:
  std::filesystem::path file(const std::string& key) const;

  std::filesystem::path folder_;
};

}  // namespace dipaco

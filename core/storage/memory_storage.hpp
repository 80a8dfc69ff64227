#pragma once

#include <map>

#include "core/storage/storage.hpp"

namespace dipaco {

/// Values in memory: durable as long as the object lives, which for a simulated host is the whole run. Never throws
/// DataError.
class MemoryStorage : public Storage {
 public:
  bool put_if_absent(const std::string& key, const ToStore& value) override;
  void put(const std::string& key, const ToStore& value) override;
  std::optional<std::vector<std::byte>> get(const std::string& key) const override;
  std::vector<std::string> list(const std::string& prefix) const override;
  void remove(const std::string& key) override;
  void append(const std::string& log, std::span<const std::byte> record) override;

  bool has(const std::string& key) const { return values_.contains(key); }

 private:
  std::map<std::string, std::vector<std::byte>> values_;
};

}  // namespace dipaco

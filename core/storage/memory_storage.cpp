#include "core/storage/memory_storage.hpp"

namespace dipaco {

bool MemoryStorage::put_if_absent(const std::string& key, const ToStore& value) {
  check_key(key);
  return values_.try_emplace(key, value.bytes.begin(), value.bytes.end()).second;
}

void MemoryStorage::put(const std::string& key, const ToStore& value) {
  check_key(key);
  values_[key].assign(value.bytes.begin(), value.bytes.end());
}

std::optional<std::vector<std::byte>> MemoryStorage::get(const std::string& key) const {
  check_key(key);
  const auto found = values_.find(key);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::string> MemoryStorage::list(const std::string& prefix) const {
  std::vector<std::string> keys;
  for (auto at = values_.lower_bound(prefix); at != values_.end() && at->first.starts_with(prefix); ++at) {
    keys.push_back(at->first);
  }
  return keys;
}

void MemoryStorage::remove(const std::string& key) {
  check_key(key);
  values_.erase(key);
}

void MemoryStorage::append(const std::string& log, std::span<const std::byte> record) {
  check_key(log);
  auto& bytes = values_[log];
  bytes.insert(bytes.end(), record.begin(), record.end());
}

}  // namespace dipaco

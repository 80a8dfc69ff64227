#include "backends/sim/sim_storage.hpp"

namespace dipaco {

void SimStorage::write(Bytes bytes) const {
  if (disk_ == nullptr || bytes.value == 0) return;
  disk_->write(bytes.value);
  hold_();
}

bool SimStorage::put_if_absent(const std::string& key, const ToStore& value) {
  if (kept_.has(key)) return false;
  put(key, value);
  return true;
}

void SimStorage::put(const std::string& key, const ToStore& value) {
  write(value.charged);
  kept_.put(key, value);
  if (value.charged > Bytes{value.bytes.size()}) {
    charged_[key] = value.charged;
  } else {
    charged_.erase(key);
  }
}

std::optional<std::vector<std::byte>> SimStorage::get(const std::string& key) const {
  auto value = kept_.get(key);
  if (disk_ == nullptr || !value || value->empty()) return value;
  const auto found = charged_.find(key);
  disk_->read(found == charged_.end() ? value->size() : found->second.value);
  hold_();
  return value;
}

void SimStorage::remove(const std::string& key) {
  kept_.remove(key);
  charged_.erase(key);
}

void SimStorage::append(const std::string& log, std::span<const std::byte> record) {
  write(Bytes{record.size()});
  kept_.append(log, record);
}

}  // namespace dipaco

#include "core/state/records.hpp"

#include "core/checkpoint/journal.hpp"

namespace dipaco {

std::pair<std::vector<std::vector<std::byte>>, std::uint64_t> open_journal(Storage& storage, const std::string& key) {
  const auto bytes = storage.get(key);
  Journal journal = bytes ? read_journal(*bytes, key) : Journal{};
  const std::vector<std::byte> whole =
      journal.whole == 0 ? begin_journal()
                         : std::vector(bytes->begin(), bytes->begin() + static_cast<std::ptrdiff_t>(journal.whole));
  if (!bytes || bytes->size() != whole.size()) storage.put(key, whole);
  return {std::move(journal.records), whole.size()};
}

}  // namespace dipaco

#include "core/eval/labels.hpp"

#include <algorithm>
#include <map>

#include "core/base/error.hpp"

namespace dipaco {

Labels make_labels(std::span<const std::string> lines) {
  Labels labels;
  std::map<std::string, std::uint32_t> places;
  for (const std::string& line : lines) {
    const auto [place, added] = places.emplace(line, static_cast<std::uint32_t>(labels.names.size()));
    if (added) labels.names.push_back(line);
    labels.of.push_back(place->second);
  }
  return labels;
}

Purity purity_of(std::span<const std::vector<DocumentId>> shards, const Labels& labels) {
  Purity result;
  std::int64_t all = 0;
  std::int64_t alike = 0;
  for (const std::vector<DocumentId>& shard : shards) {
    std::vector<std::int64_t> counts(std::max<std::size_t>(1, labels.names.size()));
    for (const DocumentId id : shard) {
      check(index(id) < labels.of.size(), "each document has a label");
      ++counts[labels.of[index(id)]];
    }
    const auto most = std::max_element(counts.begin(), counts.end());
    result.shards.push_back({static_cast<std::uint32_t>(most - counts.begin()), *most});
    all += static_cast<std::int64_t>(shard.size());
    alike += *most;
  }
  if (all > 0) result.purity = static_cast<double>(alike) / static_cast<double>(all);
  return result;
}

}  // namespace dipaco

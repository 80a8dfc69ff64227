#include "core/data/sample.hpp"

#include <iterator>
#include <span>
#include <utility>

#include "core/base/hash.hpp"

namespace dipaco {

std::uint64_t text_hash(std::string_view text) { return checksum(std::as_bytes(std::span(text.data(), text.size()))); }

void DocumentSample::add(std::string_view text) {
  const auto [place, added] = documents_.emplace(text_hash(text), text);
  if (added) bytes_ += text.size();
  while (bytes_ > most_bytes_ && documents_.size() > 1) {
    bytes_ -= std::prev(documents_.end())->second.size();
    documents_.erase(std::prev(documents_.end()));
  }
}

std::vector<std::string> DocumentSample::take() {
  std::vector<std::string> texts;
  for (auto& [hash, text] : documents_) texts.push_back(std::move(text));
  documents_.clear();
  bytes_ = 0;
  return texts;
}

}  // namespace dipaco

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dipaco {

/// Hash of a document's text: what the splits and the sample draw by.
std::uint64_t text_hash(std::string_view text);

/// The documents with the lowest hashes, up to so many bytes of text: of many files as of one, in any order. Of equal
/// documents one. At least one document stays, however long it is.
class DocumentSample {
 public:
  explicit DocumentSample(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  void add(std::string_view text);
  /// The documents, by their hashes. The sample is empty afterwards.
  std::vector<std::string> take();

 private:
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::map<std::uint64_t, std::string> documents_;
};

}  // namespace dipaco

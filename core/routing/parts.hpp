#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace dipaco {

/// Calls work(0) ... work(count - 1), each once, in any order and several at a time: core/eval's on_threads, which this
/// folder lies below.
using SideBySide = std::function<void(std::size_t count, const std::function<void(std::size_t)>& work)>;

/// One after the other on the caller's thread.
inline void one_by_one(std::size_t count, const std::function<void(std::size_t)>& work) {
  for (std::size_t i = 0; i < count; ++i) work(i);
}

/// Documents first to first + count - 1.
struct DocumentPart {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// Calls add(work(part)) for parts of the documents, in order. `add` runs on the caller's thread; `work` must be
/// thread-safe. Parts are worked on side by side and are the same
/// whatever `side_by_side` does, so that sums over them have the same bits; the results of 16 are in memory at a time.
template <class Work, class Add>
void for_each_document_part(std::size_t documents, const SideBySide& side_by_side, const Work& work, const Add& add) {
  constexpr std::size_t kDocuments = 4096;
  constexpr std::size_t kAtATime = 16;
  const std::size_t parts = (documents + kDocuments - 1) / kDocuments;
  for (std::size_t begin = 0; begin < parts; begin += kAtATime) {
    std::vector<decltype(work(DocumentPart{}))> results(std::min(kAtATime, parts - begin));
    side_by_side(results.size(), [&](std::size_t i) {
      const std::size_t first = (begin + i) * kDocuments;
      results[i] = work(DocumentPart{first, std::min(kDocuments, documents - first)});
    });
    for (const auto& result : results) add(result);
  }
}

}  // namespace dipaco

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dipaco {

/// One document as it stands in its file.
struct Document {
  std::string_view text;    ///< UTF-8, not empty; valid during the call only
  std::string_view domain;  ///< the `domain` field of a JSONL line, or ""
};

/// Files that `patterns` (comma-separated, `*` and `?`) name relative to `folder`, sorted by name within a pattern; a
/// file that two patterns name comes once, also where a link or `..` leads to it, by its first name. `*` and `?` stand
/// for no `/` and for no `.` at a name's start.
/// @throws DataError where a pattern names no file.
std::vector<std::filesystem::path> find_files(const std::string& patterns, const std::filesystem::path& folder);

/// Calls `visit` for every document of one file, in order, and returns how many there were: 0 is no error.
/// @throws DataError as for_each_document()
std::int64_t visit_documents(const std::filesystem::path& file, const std::function<void(const Document&)>& visit);

/// Calls `visit` for every document in file order. `.jsonl` and `.jsonl.gz`: one JSON object a line with a `text`
/// field (C4 as published); an empty text is no document. `.txt`: cut at the first blank line after each 2,000
/// characters (Choice). A document before a damaged place is visited before the error.
/// @throws DataError naming file and line: not UTF-8, no `text`, broken JSON or gzip, unknown ending, no document at
/// all.
void for_each_document(const std::vector<std::filesystem::path>& files,
                       const std::function<void(const Document&)>& visit);

/// What to say of files without any document.
[[noreturn]] void throw_no_document(const std::vector<std::filesystem::path>& files);

}  // namespace dipaco

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct gzFile_s;  // zlib's open file

namespace dipaco {

/// Lines of a UTF-8 text file, plain or gzip, read as a stream. A byte order mark and carriage returns at a line's end
/// are left out.
class LineReader {
 public:
  enum class Packing { plain, gzip };

  /// @throws DataError if the file cannot be opened or is packed in another way than `packing`.
  LineReader(std::filesystem::path file, Packing packing);

  /// Goes to the next line; false behind the last one.
  /// @throws DataError naming file and line: not UTF-8, too long, unreadable, broken or truncated gzip.
  bool next();
  /// The current line without its end; valid until the next call of next().
  std::string_view line() const { return line_; }
  std::int64_t number() const { return number_; }        ///< of the current line, from 1
  [[noreturn]] void fail(const std::string& why) const;  ///< DataError "file:line: why"

 private:
  struct Close {
    void operator()(gzFile_s* file) const;
  };

  bool refill();
  void finish_line();

  std::filesystem::path name_;
  std::unique_ptr<gzFile_s, Close> file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< of what is not yet read in the buffer
  std::size_t end_ = 0;
  std::string line_;
  std::int64_t number_ = 0;
};

}  // namespace dipaco

#include "core/data/line_reader.hpp"

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/error.hpp"
#include "core/data/utf8.hpp"

namespace dipaco {
namespace {

constexpr std::size_t kBufferSize = 1U << 18U;
constexpr std::size_t kLongestLine = 1U << 28U;  // 256 MiB: a document's size in bytes must fit 32 bits
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

LineReader::LineReader(std::filesystem::path file, Packing packing) : name_(std::move(file)), buffer_(kBufferSize) {
  errno = 0;
  file_.reset(gzopen(name_.c_str(), "rbe"));
  if (!file_) throw DataError(name_.string() + ": cannot open: " + std::strerror(errno) + "; check the path");
  gzbuffer(file_.get(), kBufferSize);
  const bool plain = gzdirect(file_.get()) != 0;
  if (packing == Packing::gzip && plain) {
    throw DataError(name_.string() + ": not gzip, as its ending says; pack it, or take .gz off its name");
  }
  if (packing == Packing::plain && !plain) {
    const bool named = name_.extension() == ".gz";
    throw DataError(name_.string() + ": this is gzip; unpack it" + (named ? "" : ", or add .gz to its name"));
  }
}

void LineReader::Close::operator()(gzFile_s* file) const { gzclose(file); }

void LineReader::fail(const std::string& why) const {
  throw DataError(name_.string() + ":" + std::to_string(number_) + ": " + why);
}

bool LineReader::refill() {
  const int got = gzread(file_.get(), buffer_.data(), static_cast<unsigned>(buffer_.size()));
  int error = Z_OK;
  const char* const reason = gzerror(file_.get(), &error);
  // A truncated gzip file gives what it has, and this error.
  if (got < 0 || error == Z_BUF_ERROR) {
    ++number_;
    fail(error == Z_ERRNO ? std::string("cannot read: ") + std::strerror(errno)
                          : std::string("broken gzip (") + reason + "); fetch or make the file again");
  }
  begin_ = 0;
  end_ = static_cast<std::size_t>(got);
  return got > 0;
}

bool LineReader::next() {
  line_.clear();
  for (bool some = false;; some = true) {
    if (begin_ == end_ && !refill()) {
      if (!some) return false;
      break;
    }
    const char* const start = buffer_.data() + begin_;
    const auto* const newline = static_cast<const char*>(std::memchr(start, '\n', end_ - begin_));
    const std::size_t size = newline != nullptr ? static_cast<std::size_t>(newline - start) : end_ - begin_;
    line_.append(start, size);
    begin_ += size + (newline != nullptr ? 1 : 0);
    if (newline != nullptr || line_.size() > kLongestLine) break;
  }
  finish_line();
  return true;
}

void LineReader::finish_line() {
  ++number_;
  if (line_.size() > kLongestLine) fail("a line of more than 256 MiB; cut the document");
  if (const auto at = first_invalid_utf8(line_)) {
    fail("not UTF-8 at byte " + std::to_string(*at) + " of the line; convert the file to UTF-8");
  }
  if (number_ == 1 && line_.starts_with(kByteOrderMark)) line_.erase(0, kByteOrderMark.size());
  if (line_.ends_with('\r')) line_.pop_back();
}

}  // namespace dipaco

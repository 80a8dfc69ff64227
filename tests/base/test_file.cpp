#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <functional>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco {
namespace {

/// No file of this process grows beyond `bytes` while it lives, as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const struct rlimit limit { bytes, before_.rlim_max };
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  struct rlimit before_ {};
  void (*handler_)(int) = std::signal(SIGXFSZ, SIG_IGN);
};

std::string error_of_writing(const std::function<void()>& write) {
  try {
    const FullDisk full(8);
    write();
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a written file reads back, in a folder that was not there", "[base]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a" / "b" / "file";
  write_file(file, "first");
  write_file(file, "second");
  CHECK(read_text(file) == "second");
  CHECK_FALSE(std::filesystem::exists(file.string() + ".part"));
}

TEST_CASE("appending adds to the end", "[base]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "log";
  append_file(file, std::as_bytes(std::span("ab", 2)));
  append_file(file, std::as_bytes(std::span("c", 1)));
  CHECK(read_text(file) == "abc");
}

TEST_CASE("a mapped file has the file's bytes, an empty one none", "[base]") {
  const TemporaryFolder folder;
  write_file(folder.path() / "full", "text");
  write_file(folder.path() / "empty", "");
  CHECK(MappedFile(folder.path() / "full").bytes().size() == 4);
  CHECK(MappedFile(folder.path() / "empty").bytes().empty());
}

TEST_CASE("a missing file is an error that names it", "[base]") {
  CHECK_THROWS_WITH(read_file("/nowhere/at/all"), Catch::Contains("/nowhere/at/all: cannot open"));
  CHECK_THROWS_AS(MappedFile("/nowhere/at/all"), DataError);
}

TEST_CASE("a folder in place of a file is an error", "[base]") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(read_file(folder.path()), DataError);
}

TEST_CASE("a full disk is an error that says what to do", "[base]") {
  CHECK_THROWS_WITH(append_file("/dev/full", std::as_bytes(std::span("x", 1))),
                    Catch::Contains("/dev/full") && Catch::Contains("free some space"));
}

TEST_CASE("a write that stops in its middle leaves a file as it was, and nothing beside it", "[base]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "file";
  const std::string long_text(20, 'x');
  write_file(file, "abc");
  CHECK_THAT(error_of_writing([&] { append_file(file, std::as_bytes(std::span(long_text))); }),
             Catch::Contains("file: cannot write"));
  CHECK(read_text(file) == "abc");
  append_file(file, std::as_bytes(std::span("d", 1)));
  CHECK(read_text(file) == "abcd");
  CHECK_THAT(error_of_writing([&] { write_file(file, long_text); }), Catch::Contains("file.part: cannot write"));
  CHECK(read_text(file) == "abcd");
  CHECK_FALSE(std::filesystem::exists(file.string() + ".part"));
}

}  // namespace dipaco

#include <catch2/catch.hpp>
#include <cstdlib>

#include "core/base/error.hpp"
#include "core/base/file.hpp"

namespace dipaco {
namespace {

/// A folder of its own that goes with the test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "dipaco-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("a written file reads back, in a folder that was not there", "[base]") {
  const Folder folder;
  const auto file = folder.path() / "a" / "b" / "file";
  write_file(file, "first");
  write_file(file, "second");
  CHECK(read_text(file) == "second");
  CHECK_FALSE(std::filesystem::exists(file.string() + ".part"));
}

TEST_CASE("appending adds to the end", "[base]") {
  const Folder folder;
  const auto file = folder.path() / "log";
  append_file(file, std::as_bytes(std::span("ab", 2)));
  append_file(file, std::as_bytes(std::span("c", 1)));
  CHECK(read_text(file) == "abc");
}

TEST_CASE("a mapped file has the file's bytes, an empty one none", "[base]") {
  const Folder folder;
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
  const Folder folder;
  CHECK_THROWS_AS(read_file(folder.path()), DataError);
}

TEST_CASE("a full disk is an error that says what to do", "[base]") {
  CHECK_THROWS_WITH(append_file("/dev/full", std::as_bytes(std::span("x", 1))),
                    Catch::Contains("/dev/full") && Catch::Contains("free some space"));
}

}  // namespace dipaco

#include <catch2/catch.hpp>
#include <cstdlib>
#include <stdexcept>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/storage/directory_storage.hpp"
#include "core/storage/memory_storage.hpp"

namespace dipaco {
namespace {

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

std::string text(const std::optional<std::vector<std::byte>>& value) {
  if (!value) return "(absent)";
  return {reinterpret_cast<const char*>(value->data()), value->size()};
}

void keeps_values(Storage& storage) {
  CHECK(storage.list("").empty());
  CHECK(text(storage.get("paths/1/2")) == "(absent)");
  CHECK(storage.put_if_absent("paths/1/2", bytes("first")));
  CHECK_FALSE(storage.put_if_absent("paths/1/2", bytes("second")));
  CHECK(text(storage.get("paths/1/2")) == "first");
  storage.put("paths/1/2", bytes("third, longer"));
  storage.put("paths/1/2", bytes("fourth"));
  CHECK(text(storage.get("paths/1/2")) == "fourth");
  storage.put("paths/1/10", bytes(""));
  CHECK(text(storage.get("paths/1/10")).empty());
  CHECK_FALSE(storage.put_if_absent("paths/1/10", bytes("empty is there, too")));
  storage.put("modules/0.1", bytes("m"));
  CHECK(storage.list("paths/") == std::vector<std::string>{"paths/1/10", "paths/1/2"});
  CHECK(storage.list("paths/1/1") == std::vector<std::string>{"paths/1/10"});  // a prefix, not a folder
  CHECK(storage.list("") == std::vector<std::string>{"modules/0.1", "paths/1/10", "paths/1/2"});
  storage.remove("paths/1/2");
  storage.remove("paths/1/2");  // nothing happens
  CHECK(text(storage.get("paths/1/2")) == "(absent)");
  CHECK(storage.put_if_absent("paths/1/2", bytes("anew")));
}

void keeps_logs(Storage& storage) {
  storage.append("a/journal", bytes("a"));
  storage.append("a/journal", bytes(""));
  storage.append("a/journal", bytes("bc"));
  CHECK(text(storage.get("a/journal")) == "abc");
  CHECK(storage.list("a/") == std::vector<std::string>{"a/journal"});
  storage.put("a/journal", bytes("x"));  // what cuts a torn end off
  storage.append("a/journal", bytes("y"));
  CHECK(text(storage.get("a/journal")) == "xy");
  storage.remove("a/journal");
  storage.append("a/journal", bytes("z"));
  CHECK(text(storage.get("a/journal")) == "z");
}

void refuses_bad_keys(Storage& storage) {
  for (const char* key : {"", "/a", "a/", "a//b", "..", "a/../b", "./a", "a b", "a\nb", "value.part", "a/b.part"}) {
    INFO(key);
    CHECK_THROWS_AS(storage.put(key, bytes("x")), std::logic_error);
    CHECK_THROWS_AS(storage.put_if_absent(key, bytes("x")), std::logic_error);
    CHECK_THROWS_AS(storage.append(key, bytes("x")), std::logic_error);
    CHECK_THROWS_AS(storage.get(key), std::logic_error);
    CHECK_THROWS_AS(storage.remove(key), std::logic_error);
  }
  storage.put("a.partial/.hidden-_0..", bytes("x"));
  CHECK(text(storage.get("a.partial/.hidden-_0..")) == "x");
}

void keeps_the_contract(Storage& storage) {
  keeps_values(storage);
  keeps_logs(storage);
  refuses_bad_keys(storage);
}

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

TEST_CASE("memory storage keeps the contract", "[storage]") {
  MemoryStorage storage;
  keeps_the_contract(storage);
}

TEST_CASE("directory storage keeps the contract, and its values outlive it", "[storage]") {
  const Folder folder;
  {
    DirectoryStorage storage(folder.path());
    keeps_the_contract(storage);
  }
  const DirectoryStorage again(folder.path());
  CHECK(text(again.get("modules/0.1")) == "m");
  CHECK(text(again.get("a/journal")) == "z");
}

TEST_CASE("what a killed write left aside goes when the folder is opened, and nothing else does", "[storage]") {
  const Folder folder;
  const auto storage_folder = folder.path() / "new" / "node-1";
  CHECK(DirectoryStorage(storage_folder).list("").empty());  // opening makes nothing
  CHECK_FALSE(std::filesystem::exists(folder.path() / "new"));
  DirectoryStorage(storage_folder).put("paths/1", bytes("whole"));
  write_file(storage_folder / "paths" / "1.part", "ha");
  write_file(storage_folder / "paths" / "2.part", "half");
  write_file(folder.path() / "beside.part", "another's");
  const DirectoryStorage storage(storage_folder);
  CHECK_FALSE(std::filesystem::exists(storage_folder / "paths" / "1.part"));
  CHECK_FALSE(std::filesystem::exists(storage_folder / "paths" / "2.part"));
  CHECK(std::filesystem::exists(folder.path() / "beside.part"));
  CHECK(text(storage.get("paths/1")) == "whole");
  CHECK(storage.list("") == std::vector<std::string>{"paths/1"});
}

TEST_CASE("a folder that cannot be made is an error", "[storage]") {
  DirectoryStorage storage("/proc/nowhere");
  CHECK_THROWS_AS(storage.put("a", bytes("b")), DataError);
}

TEST_CASE("a file where a folder should be is an error that names it", "[storage]") {
  const Folder folder;
  write_file(folder.path() / "file", "x");
  CHECK_THROWS_WITH(DirectoryStorage(folder.path() / "file"), Catch::Contains("/file: cannot list the folder"));
  DirectoryStorage storage(folder.path());
  CHECK_THROWS_AS(storage.put("file/a", bytes("b")), DataError);
  CHECK_THROWS_AS(storage.append("file/a", bytes("b")), DataError);
}

}  // namespace dipaco

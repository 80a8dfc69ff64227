#include <catch2/catch.hpp>
#include <cstdlib>
#include <memory>

#include "core/base/error.hpp"
#include "core/storage/directory_storage.hpp"
#include "core/storage/memory_storage.hpp"

namespace dipaco {
namespace {

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

std::string text(const std::optional<std::vector<std::byte>>& value) {
  if (!value) return "(absent)";
  return {reinterpret_cast<const char*>(value->data()), value->size()};
}

void keeps_the_contract(Storage& storage) {
  CHECK(storage.put_if_absent("paths/1/2", bytes("first")));
  CHECK_FALSE(storage.put_if_absent("paths/1/2", bytes("second")));
  CHECK(text(storage.get("paths/1/2")) == "first");
  storage.put("paths/1/2", bytes("third"));
  CHECK(text(storage.get("paths/1/2")) == "third");
  storage.put("paths/1/10", bytes(""));
  storage.put("modules/0.1", bytes("m"));
  CHECK(storage.list("paths/") == std::vector<std::string>{"paths/1/10", "paths/1/2"});
  storage.append("journal", bytes("a"));
  storage.append("journal", bytes("bc"));
  CHECK(text(storage.get("journal")) == "abc");
  storage.remove("paths/1/2");
  storage.remove("paths/1/2");  // nothing happens
  CHECK(text(storage.get("paths/1/2")) == "(absent)");
}

}  // namespace

TEST_CASE("memory storage keeps the contract", "[storage]") {
  MemoryStorage storage;
  keeps_the_contract(storage);
}

TEST_CASE("directory storage keeps the contract, and its values outlive it", "[storage]") {
  std::string folder = (std::filesystem::temp_directory_path() / "dipaco-XXXXXX").string();
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  {
    DirectoryStorage storage(folder);
    keeps_the_contract(storage);
  }
  CHECK(text(DirectoryStorage(folder).get("modules/0.1")) == "m");
  std::filesystem::remove_all(folder);
}

TEST_CASE("a folder that cannot be made is an error", "[storage]") {
  DirectoryStorage storage("/proc/nowhere");
  CHECK_THROWS_AS(storage.put("a", bytes("b")), DataError);
}

}  // namespace dipaco

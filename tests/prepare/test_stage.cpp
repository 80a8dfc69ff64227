#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <stdexcept>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/prepare/stage.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco {
namespace {

namespace fs = std::filesystem;

const StageRequest kRequest{.name = "start", .keys = "steps=3\n"};

void make_two_files(const fs::path& folder) {
  write_file(folder / "one", std::string_view("1"));
  write_file(folder / "two", std::string_view("22"));
}

void never(const fs::path&) { FAIL("the stage is there"); }

std::string error_of(const fs::path& cache) {
  try {
    open_stage(cache, kRequest, never);
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST_CASE("a stage is made once for its name and keys", "[prepare]") {
  const TemporaryFolder cache;
  const Stage made = open_stage(cache.path() / "new", kRequest, make_two_files);
  CHECK(made.folder == cache.path() / "new" / ("start-" + made.hash));
  CHECK(read_text(made.folder / "two") == "22");
  CHECK(read_text(made.folder / "keys.txt") == "steps=3\n");
  const Stage again = open_stage(cache.path() / "new", kRequest, never);
  CHECK(again.hash == made.hash);
  CHECK(again.contents == made.contents);
  const Stage other = open_stage(cache.path() / "new", {.name = "start", .keys = "steps=4\n"}, make_two_files);
  CHECK(other.hash != made.hash);
  CHECK(open_stage(cache.path() / "new", {.name = "dense", .keys = "steps=3\n"}, make_two_files).hash != made.hash);
}

TEST_CASE("contents tell stages of other bytes apart, though made for equal keys", "[prepare]") {
  const TemporaryFolder here;
  const TemporaryFolder there;
  const Stage one = open_stage(here.path(), kRequest, make_two_files);
  const Stage two = open_stage(there.path(), kRequest, [](const fs::path& folder) {
    write_file(folder / "one", std::string_view("1"));
    write_file(folder / "two", std::string_view("23"));
  });
  CHECK(one.hash == two.hash);
  CHECK(one.contents != two.contents);
}

TEST_CASE("a stage whose making fails or is killed is not there", "[prepare]") {
  const TemporaryFolder cache;
  const auto fails = [](const fs::path& folder) {
    write_file(folder / "one", std::string_view("1"));
    throw std::runtime_error("full");
  };
  CHECK_THROWS_WITH(open_stage(cache.path(), kRequest, fails), "full");
  CHECK(fs::is_empty(cache.path()));
  const Stage made = open_stage(cache.path(), kRequest, make_two_files);
  fs::remove_all(made.folder);
  // What a killed program leaves: a folder of files, without a lock.
  const fs::path left = cache.path() / ("making-start-" + made.hash + "-abcdef");
  write_file(left / "one", std::string_view("half"));
  CHECK(open_stage(cache.path(), kRequest, make_two_files).contents == made.contents);
  CHECK_FALSE(fs::exists(left));
}

TEST_CASE("a stage that another program is making is left alone, and the faster one's counts", "[prepare]") {
  const TemporaryFolder cache;
  const Stage made = open_stage(cache.path(), kRequest, make_two_files);
  fs::remove_all(made.folder);
  const fs::path other = cache.path() / ("making-start-" + made.hash + "-abcdef");
  make_two_files(other);
  const int lock = ::open(other.c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(::flock(lock, LOCK_EX) == 0);
  const Stage again = open_stage(cache.path(), kRequest, [&](const fs::path& folder) {
    CHECK(fs::exists(other));
    make_two_files(folder);
    open_stage(cache.path(), kRequest, make_two_files);  // the other program is done first
  });
  CHECK(fs::exists(other));
  CHECK(again.contents == made.contents);
  ::close(lock);
  fs::remove_all(other);
  CHECK(std::distance(fs::directory_iterator(cache.path()), {}) == 1);
}

TEST_CASE("a missing or changed file of a stage is an error that names it and the remedy", "[prepare]") {
  const TemporaryFolder cache;
  const Stage made = open_stage(cache.path(), kRequest, make_two_files);
  const auto remedy = Catch::Contains("remove the folder " + made.folder.string());
  CHECK(error_of(cache.path()) == "no error");
  write_file(made.folder / "two", std::string_view("23"));
  CHECK_THAT(error_of(cache.path()), Catch::Contains("two: damaged") && remedy);
  fs::remove(made.folder / "two");
  CHECK_THAT(error_of(cache.path()), Catch::Contains("two: missing") && remedy);
  const std::string list = read_text(made.folder / "files.txt");
  for (const std::string& bad : {std::string(), list.substr(0, 10)}) {
    write_file(made.folder / "files.txt", std::string_view(bad));
    CHECK_THAT(error_of(cache.path()), Catch::Contains("files.txt: damaged") && remedy);
  }
  fs::remove(made.folder / "files.txt");
  CHECK_THAT(error_of(cache.path()), Catch::Contains("files.txt: missing"));
}

TEST_CASE("a cache that cannot be written is an error that names it", "[prepare]") {
  const TemporaryFolder folder;
  write_file(folder.path() / "file", std::string_view("not a folder"));
  CHECK_THROWS_AS(open_stage(folder.path() / "file" / "cache", kRequest, never), DataError);
}

}  // namespace
}  // namespace dipaco

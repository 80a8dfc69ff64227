#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "backends/gloo/meeting/rendezvous_entry.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "tests/gloo/meeting/finding.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco {
namespace {

using namespace testing;

}  // namespace

TEST_CASE("nodes find the coordinator in a folder, and where it went", "[gloo]") {
  const TemporaryFolder folder;
  const std::string url = "file://" + folder.path().string();
  const Secret secret = secret_of("0123456789abcdef");
  for (const Secret* const with : {static_cast<const Secret*>(nullptr), &secret}) {
    const auto node = make_rendezvous(url, options_of("run", with));
    const auto other = make_rendezvous(url, options_of("another", with));
    CHECK(node->find() == std::nullopt);
    auto coordinator = make_rendezvous(url, options_of("run", with, true));
    coordinator->publish(kHere);
    CHECK(finds(*node, kHere));
    coordinator->publish(kThere);
    CHECK(finds(*node, kThere));
    CHECK(finds(*coordinator, kThere));
    coordinator.reset();
    CHECK(keeps_finding(*node, kThere));
    CHECK(make_rendezvous(url, options_of("run", with))->find() == kThere);
    CHECK(keeps_finding(*other, std::nullopt));
  }
}

TEST_CASE("an entry that is withdrawn goes with its coordinator, but not one that another has published", "[gloo]") {
  const TemporaryFolder folder;
  const std::string url = "file://" + folder.path().string();
  auto coordinator = make_rendezvous(url, options_of("run", nullptr, true));
  coordinator->publish(kHere);
  REQUIRE(finds(*make_rendezvous(url, options_of("run", nullptr)), kHere));
  coordinator->withdraw();
  coordinator.reset();
  CHECK(std::filesystem::is_empty(folder.path()));
  coordinator = make_rendezvous(url, options_of("run", nullptr, true));
  coordinator->publish(kHere);
  REQUIRE(finds(*coordinator, kHere));
  const auto next = make_rendezvous(url, options_of("run", nullptr, true));
  coordinator->withdraw();
  next->publish(kThere);
  const auto node = make_rendezvous(url, options_of("run", nullptr));
  CHECK(finds(*node, kThere));
  coordinator.reset();
  CHECK(finds(*make_rendezvous(url, options_of("run", nullptr)), kThere));
}

TEST_CASE("whatever lies where the entry should be is no entry, and the coordinator mends it", "[gloo]") {
  const TemporaryFolder folder;
  const std::string url = "file://" + folder.path().string();
  const Secret secret = secret_of("0123456789abcdef");
  const Secret theirs = secret_of("0123456789abcdeF");
  const auto file = folder.path() / EntryFormat("run", &secret).name();
  const auto theirs_sealed = EntryFormat("run", &theirs).seal(kThere);
  const std::vector<std::function<void()>> damages{
      [&] { std::filesystem::remove(file); }, [&] { write_file(file, ""); }, [&] { write_file(file, "garbage"); },
      [&] { write_file(file, theirs_sealed); },
      [&] { std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1); },
      // Larger than the memory: it is not read.
      [&] { std::filesystem::resize_file(file, std::uintmax_t{1} << 36); },
      [&] {
        std::filesystem::remove(file);
        REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
      }};
  for (const auto& damage : damages) {
    std::filesystem::remove(file);
    auto coordinator = make_rendezvous(url, options_of("run", &secret, true));
    coordinator->publish(kHere);
    const auto node = make_rendezvous(url, options_of("run", &secret));
    REQUIRE(finds(*node, kHere));
    coordinator.reset();
    damage();
    CHECK(finds(*node, std::nullopt));
    CHECK(make_rendezvous(url, options_of("run", &secret))->find() == std::nullopt);
    coordinator = make_rendezvous(url, options_of("run", &secret, true));
    coordinator->publish(kHere);
    CHECK(finds(*node, kHere));
  }
}

TEST_CASE("an entry that was overwritten or removed while its coordinator lives is there again, and it is said once",
          "[gloo]") {
  const TemporaryFolder folder;
  const std::string url = "file://" + folder.path().string();
  Notes notes;
  RendezvousOptions options = options_of("run", nullptr, true);
  options.note = notes.taker();
  const auto coordinator = make_rendezvous(url, options);
  coordinator->publish(kHere);
  const auto file = folder.path() / EntryFormat("run", nullptr).name();
  const EntryFormat format("run", nullptr);
  const auto mended = [&] { return std::filesystem::exists(file) && format.open(read_file(file)) == kHere; };
  REQUIRE(eventually(mended));
  write_file(file, "garbage");
  CHECK(eventually(mended));
  write_file(file, format.seal(kThere));
  CHECK(eventually(mended));
  std::filesystem::remove(file);
  CHECK(eventually(mended));
  REQUIRE(notes.all().size() == 1);
  CHECK_THAT(notes.all()[0], Catch::Contains(url) && Catch::Contains("overwritten or removed"));
}

TEST_CASE("a folder that is not there, or cannot be written, is refused at once - only the coordinator writes",
          "[gloo]") {
  using Catch::Contains;
  const TemporaryFolder folder;
  const std::string none = "file://" + (folder.path() / "none").string();
  CHECK_THROWS_AS(make_rendezvous(none, {}), ConfigError);
  CHECK_THROWS_WITH(make_rendezvous(none, {}), Contains("--rendezvous " + none) && Contains("No such file") &&
                                                   Contains("make it, on a file system that all machines share"));
  write_file(folder.path() / "file", "");
  CHECK_THROWS_WITH(make_rendezvous("file://" + (folder.path() / "file").string(), {}), Contains("Not a directory"));
  // Nobody can make a file there, not even root.
  CHECK_NOTHROW(make_rendezvous("file:///proc", options_of("run", nullptr)));
  CHECK_THROWS_AS(make_rendezvous("file:///proc", options_of("run", nullptr, true)), ConfigError);
  CHECK_THROWS_WITH(make_rendezvous("file:///proc", options_of("run", nullptr, true)),
                    Contains("cannot write into the folder") && Contains("name another folder"));
  make_rendezvous("file://" + folder.path().string(), options_of("run", nullptr, true));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a folder that goes away is waited for, not made, and what was found there stays known", "[gloo]") {
  const TemporaryFolder folder;
  const auto place = folder.path() / "place";
  std::filesystem::create_directory(place);
  const std::string url = "file://" + place.string();
  const auto coordinator = make_rendezvous(url, options_of("run", nullptr, true));
  const auto node = make_rendezvous(url, options_of("run", nullptr));
  coordinator->publish(kHere);
  REQUIRE(finds(*node, kHere));
  std::filesystem::rename(place, folder.path() / "away");  // at once: the coordinator may be writing
  CHECK(keeps_finding(*node, kHere));
  CHECK_FALSE(std::filesystem::exists(place));
  std::filesystem::create_directory(place);
  const auto file = place / EntryFormat("run", nullptr).name();
  CHECK(eventually([&] { return std::filesystem::exists(file); }));
}

}  // namespace dipaco

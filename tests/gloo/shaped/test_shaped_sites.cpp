#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <thread>

#include "backends/gloo/shaped/child_process.hpp"
#include "backends/gloo/shaped/shaped_sites.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco {
namespace {

const std::vector<ShapedLine> kTwoLines{{"a", {1e6}}, {"b", {2e6}}};

/// What a program says at a site.
std::string said(const ShapedSites& sites, const std::string& site, std::vector<std::string> words,
                 const std::filesystem::path& folder) {
  std::vector<std::string> all = sites.within(site);
  all.insert(all.end(), words.begin(), words.end());
  ChildProcess process(all, {folder / "said", folder / "log"});
  std::optional<int> status;
  while (!(status = process.look())) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  INFO(process.last_words());
  CHECK(*status == 0);
  return read_text(folder / "said");
}

}  // namespace

TEST_CASE("sites have lines of their rate both ways, which may be cut, and go with their object", "[shaped]") {
  const TemporaryFolder folder;
  if (geteuid() != 0) {
    CHECK_THROWS_WITH(ShapedSites(kTwoLines, folder.path()), Catch::Contains("run this command as root"));
    return;
  }
  std::filesystem::path space;
  {
    ShapedSites sites(kTwoLines, folder.path());
    space = std::filesystem::path("/run/netns") / sites.within("a").back();
    CHECK(std::filesystem::exists(space));
    CHECK_THAT(said(sites, "a", {"ip", "-o", "addr", "show", "dev", ShapedSites::device()}, folder.path()),
               Catch::Contains(ShapedSites::first_address() + "/24"));
    // 1 and 2 million bytes a second.
    CHECK_THAT(said(sites, "a", {"tc", "qdisc", "show", "dev", "wan"}, folder.path()), Catch::Contains("rate 8Mbit"));
    CHECK_THAT(said(sites, "b", {"tc", "qdisc", "show", "dev", "wan"}, folder.path()), Catch::Contains("rate 16Mbit"));
    CHECK_THAT(said(sites, "hub", {"tc", "qdisc", "show", "dev", "to-2"}, folder.path()),
               Catch::Contains("rate 16Mbit"));
    sites.cut("b");
    CHECK_THAT(said(sites, "b", {"ip", "-o", "link", "show", "dev", "wan"}, folder.path()),
               Catch::Contains("state DOWN"));
  }
  CHECK_FALSE(std::filesystem::exists(space));
}

}  // namespace dipaco

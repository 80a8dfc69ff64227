// Two counts of the same bytes: the messages that nodes send, by the sites of both ends, and what crosses each link.

#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

struct CountedBytes {
  std::int64_t between_sites = 0;  ///< the summary's
  std::map<std::pair<std::string, std::string>, std::int64_t> by_sites;
  std::map<std::string, std::int64_t> by_link;
};

CountedBytes count_bytes(const std::string& scenario, const std::vector<std::string>& keys) {
  const TemporaryFolder folder;
  const auto out = folder.path() / "out";
  std::vector<std::string> words{DIPACO_SOURCE_DIR "/scenarios/" + scenario + ".xml",
                                 "--learn",
                                 "off",
                                 "--progress",
                                 "off",
                                 "--format",
                                 "json",
                                 "--out",
                                 out};
  for (const std::string& key : keys) words.insert(words.end(), {"--set", key});
  const Outcome ran = run_built("dipaco-sim", words);
  INFO(ran.error);
  REQUIRE(ran.status == 0);
  CountedBytes counted{.between_sites = nlohmann::json::parse(ran.output)["wan_bytes"]};
  std::istringstream rows(read_text(out / "links.csv"));
  for (std::string row; std::getline(rows, row);) {
    const auto cells = split(row, ',');  // kind, link, from_site, to_site, bytes
    if (cells[0] == "sites") counted.by_sites[{cells[2], cells[3]}] = std::stoll(cells[4]);
    if (cells[0] == "link") counted.by_link[cells[1]] = std::stoll(cells[4]);
  }
  return counted;
}

/// The sites that the line "A-B_UP" leads from and to; "A-B_DOWN" leads back.
std::pair<std::string, std::string> ends_of(const std::string& line) {
  const std::size_t middle = line.find('-');
  const std::size_t end = line.rfind('_');
  std::string a = line.substr(0, middle);
  std::string b = line.substr(middle + 1, end - middle - 1);
  return line.substr(end) == "_UP" ? std::pair{a, b} : std::pair{b, a};
}

}  // namespace

TEST_CASE("in each shipped scenario a line between sites carries the bytes of the messages between them, to the byte",
          "[sim]") {
  struct Case {
    std::string scenario;
    std::size_t lines;  ///< both directions of each that carries anything
    std::vector<std::string> keys{};
  };
  const std::vector<Case> cases{
      {"wan_4dc", 12}, {"diloco_2dc", 2}, {"flat_moe", 2}, {"paper_16x16", 10, {"outer.steps=3"}}};
  for (const Case& one : cases) {
    CAPTURE(one.scenario);
    std::vector<std::string> keys = one.keys;
    keys.push_back("run.line_turns=off");  // words about turns cross lines, and are not the run's messages
    const CountedBytes counted = count_bytes(one.scenario, keys);
    std::size_t lines = 0;
    std::int64_t crossed = 0;
    for (const auto& [link, bytes] : counted.by_link) {
      const auto between = counted.by_sites.find(ends_of(link));
      if (between == counted.by_sites.end()) continue;
      CAPTURE(link);
      CHECK(bytes == between->second);
      crossed += bytes;
      ++lines;
    }
    CHECK(lines == one.lines);
    CHECK(crossed == counted.between_sites);
  }
}

}  // namespace dipaco::testing

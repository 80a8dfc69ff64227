// Two counts of the same bytes: the messages that nodes send, by the sites of both ends, and what crosses each link.

#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
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

/// wan_4dc's machines without disks and intake.
const std::vector<std::string> kNoDisks{
    "zone:washington.disk=", "zone:washington.intake=", "zone:dallas.disk=", "zone:dallas.intake=",
    "zone:frankfurt.disk=",  "zone:frankfurt.intake=",  "zone:tokyo.disk=",  "zone:tokyo.intake="};

struct CountedBytes {
  std::int64_t between_sites = 0;  ///< the summary's
  std::map<std::pair<std::string, std::string>, std::int64_t> by_sites;
  std::map<std::string, std::int64_t> by_link;  ///< without words about turns
  std::int64_t about_turns = 0;                 ///< bytes of those, on all links
  std::map<std::string, double> over_time;      ///< of a link: the sum of its stretches
};

/// What links_over_time.csv comes to for each link; its stretches lie within the run, one behind the other.
std::map<std::string, double> sums_over_time(const std::filesystem::path& file, double duration, double use) {
  std::map<std::string, double> sums;
  std::map<std::string, double> ended;
  std::istringstream rows(read_text(file));
  std::string row;
  std::getline(rows, row);
  while (std::getline(rows, row)) {
    const auto cells = split(row, ',');  // link, begin_s, end_s, bytes, use
    const double begin = std::stod(cells[1]);
    CHECK(begin >= ended[cells[0]]);
    CHECK(begin < duration);
    ended[cells[0]] = std::stod(cells[2]);
    sums[cells[0]] += std::stod(cells[3]);
    CHECK(std::stod(cells[4]) < use);
  }
  return sums;
}

CountedBytes count_bytes(const std::string& scenario, const std::vector<std::string>& keys, double use) {
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
  const auto summary = nlohmann::json::parse(ran.output);
  CountedBytes counted{.between_sites = summary["wan_bytes"]};
  counted.over_time = sums_over_time(out / "links_over_time.csv", summary["simulated_s"], use);
  std::istringstream rows(read_text(out / "links.csv"));
  for (std::string row; std::getline(rows, row);) {
    const auto cells = split(row, ',');  // kind, link, from_site, to_site, bytes, ..., turn_bytes
    if (cells[0] == "sites") counted.by_sites[{cells[2], cells[3]}] = std::stoll(cells[4]);
    if (cells[0] != "link") continue;
    const std::int64_t about_turns = std::stoll(cells.back());
    counted.by_link[cells[1]] = std::stoll(cells[4]) - about_turns;
    counted.about_turns += about_turns;
  }
  return counted;
}

/// More than the small messages of a shipped scenario come to on any line.
constexpr std::int64_t kMuch = 10'000'000;

/// The sites that the line "A-B_UP" leads from and to; "A-B_DOWN" leads back.
std::pair<std::string, std::string> ends_of(const std::string& line) {
  const std::size_t middle = line.find('-');
  const std::size_t end = line.rfind('_');
  std::string a = line.substr(0, middle);
  std::string b = line.substr(middle + 1, end - middle - 1);
  return line.substr(end) == "_UP" ? std::pair{a, b} : std::pair{b, a};
}

/// What the machines of a site have sent to others, or got, over links of their own.
std::int64_t over_own_links(const CountedBytes& counted, const std::string& site, const std::string& direction) {
  std::int64_t bytes = 0;
  for (const auto& [link, crossed] : counted.by_link) {
    const bool between = counted.by_sites.contains(ends_of(link));
    if (!between && (link.starts_with(site + "-") || link.starts_with(site + "_link")) && link.ends_with(direction))
      bytes += crossed;
  }
  return bytes;
}

/// Each message that leaves a site crosses one link of its machines on its way out, each that comes one on its way in,
/// and each between two of its machines one of either: the two counts of the last are the same.
void check_own_links(const CountedBytes& counted) {
  std::map<std::string, std::int64_t> out;
  std::map<std::string, std::int64_t> in;
  for (const auto& [sites, bytes] : counted.by_sites) {
    if (sites.first == sites.second) continue;
    out[sites.first] += bytes;
    in[sites.second] += bytes;
  }
  for (const auto& [site, left] : out) {
    CAPTURE(site);
    const std::int64_t between_machines = over_own_links(counted, site, "_UP") - left;
    CHECK(between_machines >= 0);
    CHECK(between_machines == over_own_links(counted, site, "_DOWN") - in[site]);
    const auto within = counted.by_sites.find({site, site});
    CHECK(between_machines <= (within == counted.by_sites.end() ? 0 : within->second));
  }
}

}  // namespace

TEST_CASE("in each shipped scenario a line between sites carries the bytes of the messages between them, to the byte",
          "[sim]") {
  struct Case {
    std::string scenario;
    std::size_t lines;  ///< both directions of each that carries anything
    bool full;          ///< messages wait for their turn on one
    std::vector<std::string> keys{};
    double use = 1.001;  ///< at most; more where flows that share a link unevenly are each spread evenly
  };
  const std::vector<Case> cases{{"wan_4dc", 12, false, kNoDisks}, {"wan_4dc", 12, false, {}, 1.02},
                                {"diloco_2dc", 2, true},          {"diloco_2dc", 2, false, {"run.line_turns=off"}},
                                {"flat_moe", 2, false},           {"paper_16x16", 10, false, {"outer.steps=3"}}};
  std::size_t lines_over_time = 0;
  for (const Case& one : cases) {
    CAPTURE(one.scenario);
    const CountedBytes counted = count_bytes(one.scenario, one.keys, one.use);
    CHECK((counted.about_turns > 0) == one.full);
    check_own_links(counted);
    std::size_t lines = 0;
    std::int64_t crossed = 0;
    for (const auto& [link, bytes] : counted.by_link) {
      const auto between = counted.by_sites.find(ends_of(link));
      if (between == counted.by_sites.end()) continue;
      CAPTURE(link);
      CHECK(bytes == between->second);
      crossed += bytes;
      ++lines;
      // All but small messages, and those that a loss cut off.
      if (bytes < kMuch) continue;
      CHECK(counted.over_time.at(link) <= static_cast<double>(bytes));
      CHECK(counted.over_time.at(link) >= 0.99 * static_cast<double>(bytes));
      ++lines_over_time;
    }
    CHECK(lines == one.lines);
    CHECK(crossed == counted.between_sites);
  }
  CHECK(lines_over_time == 22 + 12);
}

}  // namespace dipaco::testing

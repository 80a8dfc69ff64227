#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "core/base/error.hpp"
#include "core/preflight/site_lines.hpp"
#include "tests/preflight/made_up_measures.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

SiteLines read_again(const std::string& text) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "lines.json";
  std::ofstream(file) << text;
  return read_site_lines(file);
}

/// Why it cannot be read, behind the file's name.
std::string error_in(const std::string& text) {
  try {
    read_again(text);
  } catch (const ConfigError& error) {
    const std::string what = error.what();
    return what.substr(what.find("is not what"));
  }
  return "";
}

}  // namespace

TEST_CASE("between sites counts the best that a preflight has measured of their processes", "[preflight]") {
  NetworkMeasures measures = two_sites();
  measures.link(1, 2).bytes_per_second *= 2;  // of east-1, as its machine has a faster card
  measures.link(0, 2).round_trip = Seconds(0.03);
  const SiteLines lines = read_again(measures_json(measures));
  CHECK(lines.pairs.size() == 2);
  CHECK(lines.pairs.at({"east", "west"}) == Approx(2 * 25e6));
  CHECK(lines.pairs.at({"west", "east"}) == Approx(12.5e6));
  CHECK(lines.out.empty());
  CHECK(lines.round_trips.size() == 2);
  CHECK(lines.round_trips.at({"east", "west"}) == Seconds(0.03));
  CHECK(lines.round_trips.at({"west", "east"}) == Seconds(0.02));
}

TEST_CASE("of three sites what goes to all others at once is known, too", "[preflight]") {
  const SiteLines lines = read_again(measures_json(three_sites()));
  CHECK(lines.pairs.size() == 6);
  CHECK(lines.out.at("a") == Approx(10e6));
  CHECK(lines.in.at("a") == Approx(15e6));
  CHECK(lines.out.at("c") == Approx(20e6));
}

TEST_CASE("sites have the names that their processes gave, and machines the step times", "[preflight]") {
  NetworkMeasures measures = two_sites();
  for (Attendee& who : measures.attendees) who.site_name = who.site + " coast";
  measures.attendees[2].step_time = Seconds(0.2);
  const SiteLines lines = read_again(measures_json(measures));
  CHECK(lines.pairs.at({"east coast", "west coast"}) == Approx(25e6));
  CHECK(lines.step_times == std::map<std::string, Seconds>{{"m1", Seconds(0.05)}, {"m2", Seconds(0.2)}});
}

TEST_CASE("what no preflight has written is refused with the file's name and what is wrong", "[preflight]") {
  CHECK_THAT(error_in("bandwidth 12"),
             Catch::StartsWith("is not what \"dipaco-run preflight --format json\" prints: "));
  CHECK_THAT(error_in("{\"links\": []}"), Catch::Contains("processes"));
  NetworkMeasures measures = two_sites();
  measures.link(0, 2).bytes_per_second = 0;
  CHECK_THAT(error_in(measures_json(measures)), Catch::Contains("bytes_per_s is 0.0, and not above 0"));
  CHECK_THROWS_AS(read_site_lines("/nowhere/lines.json"), ConfigError);
}

}  // namespace dipaco::testing

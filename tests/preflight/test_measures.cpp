#include <catch2/catch.hpp>

#include "tests/preflight/made_up_measures.hpp"

namespace dipaco::testing {

TEST_CASE("the matrices have a row and a column for each process, in milliseconds and one unit of bandwidth",
          "[preflight]") {
  CHECK(measures_text(two_sites()) ==
        "  process  site  machine  address     roles\n"
        "  east-0   east  m0       10.0.0.1:7  coordinator, store, executor\n"
        "  east-1   east  m1       10.0.0.2:7  worker\n"
        "  west-0   west  m2       10.1.0.1:7  worker\n"
        "\n"
        "round trip, ms\n"
        "          east-0  east-1  west-0\n"
        "  east-0       -   0.100    20.0\n"
        "  east-1   0.100       -    20.0\n"
        "  west-0    20.0    20.0       -\n"
        "\n"
        "bandwidth, Mbit/s, from a row to a column\n"
        "          east-0  east-1  west-0\n"
        "  east-0       -   10000     200\n"
        "  east-1   10000       -     200\n"
        "  west-0     100     100       -\n");
}

TEST_CASE("three sites have what each carries with all others at once - fast networks are in Gbit/s", "[preflight]") {
  NetworkMeasures measures = three_sites();
  CHECK_THAT(measures_text(measures), Catch::EndsWith("with all other sites at once, Mbit/s\n"
                                                      "      out   in\n"
                                                      "  a  80.0  120\n"
                                                      "  b   160  160\n"
                                                      "  c   160  160\n"));
  for (LinkMeasure& link : measures.links) link.bytes_per_second = 1.25e9;
  CHECK_THAT(measures_text(measures),
             Catch::Contains("bandwidth, Gbit/s") && Catch::Contains("  a-0     -  10.0  10.0"));
}

TEST_CASE("the measures as JSON are in seconds and bytes a second", "[preflight]") {
  const std::string json = measures_json(two_sites());
  CHECK_THAT(json, Catch::Contains("\"step_time_s\": 0.05") && Catch::Contains("\"round_trip_s\": 0.02"));
  CHECK_THAT(json, Catch::Contains("\"bytes_per_s\": 12500000.0") && Catch::Contains("\"from\": \"west-0\""));
}

}  // namespace dipaco::testing

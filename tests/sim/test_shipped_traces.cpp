#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "backends/sim/timeline/availability.hpp"
#include "core/base/file.hpp"

namespace dipaco::testing {
namespace {

/// A row of the table of scenarios/traces/README.md.
struct TraceRow {
  const char* file;
  std::int64_t fewest;
  std::int64_t most;
  double hours;     ///< to the last row
  double lost;      ///< machines a machine-hour
  std::int64_t at;  ///< most machines lost at once
};

constexpr TraceRow kTraces[] = {
    {"aws-p3_32.csv", 10, 32, 11.4, 0.61, 6},         {"aws-g4dn_24.csv", 0, 24, 10.8, 0.55, 5},
    {"gcp-a100_64.csv", 17, 64, 9.0, 0.24, 36},       {"a100_4.csv", 2, 4, 3.6, 0.51, 1},
    {"us-east-1a_v100_1.csv", 0, 1, 1076.0, 1.41, 1}, {"us-east-1c_v100_1.csv", 0, 1, 1076.0, 0.68, 1},
    {"us-east-1d_v100_1.csv", 0, 1, 1076.0, 0.61, 1}, {"us-east-1f_v100_1.csv", 0, 1, 1076.0, 0.45, 1},
    {"us-east-2a_v100_1.csv", 0, 1, 1076.0, 0.17, 1}, {"us-east-2b_v100_1.csv", 0, 1, 1076.0, 0.23, 1},
    {"us-west-2a_v100_1.csv", 0, 1, 1076.0, 0.16, 1}, {"us-west-2b_v100_1.csv", 0, 1, 1076.0, 0.09, 1},
};

const std::filesystem::path kFolder = std::filesystem::path(DIPACO_SOURCE_DIR) / "scenarios/traces";

}  // namespace

TEST_CASE("the shipped traces have the machines, the lengths and the losses of the table beside them", "[sim]") {
  const std::string table = read_text(kFolder / "README.md");
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) files += entry.path().extension() == ".csv";
  CHECK(files == std::size(kTraces));
  for (const TraceRow& row : kTraces) {
    CAPTURE(row.file);
    CHECK(table.find(std::string("| ") + row.file + " |") != std::string::npos);
    const auto steps = read_availability(kFolder / row.file);
    std::int64_t lost = 0;
    std::int64_t at_once = 0;
    double machine_hours = 0;
    for (std::size_t k = 1; k < steps.size(); ++k) {
      const std::int64_t fall = std::max<std::int64_t>(0, steps[k - 1].machines - steps[k].machines);
      lost += fall;
      at_once = std::max(at_once, fall);
      machine_hours += static_cast<double>(steps[k - 1].machines) * (steps[k].time - steps[k - 1].time).count() / 3600;
    }
    const auto [fewest, most] = std::ranges::minmax(steps, {}, &AvailabilityStep::machines);
    CHECK(fewest.machines == row.fewest);
    CHECK(most.machines == row.most);
    CHECK(steps.back().time.count() / 3600 == Approx(row.hours).margin(0.05));
    CHECK(static_cast<double>(lost) / machine_hours == Approx(row.lost).margin(0.005));
    CHECK(at_once == row.at);
  }
}

}  // namespace dipaco::testing

#include "analysis/fidelity/departures.hpp"

#include "analysis/csv_file.hpp"

namespace dipaco::analysis {

std::optional<double> first_loss(const std::filesystem::path& events) {
  CsvFile<2> csv(events, {"time_s", "event"});
  while (csv.next()) {
    if (csv[1].text() == "node_down") return csv[0].number();
  }
  return std::nullopt;
}

}  // namespace dipaco::analysis

#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/table.hpp"

namespace dipaco::analysis {

struct ChartAxis {
  std::string label;
  Unit unit = Unit::number;
};

/// A curve: y over x.
struct ChartSeries {
  std::string name;
  std::size_t colour = 0;  ///< which of the page's colours; the same for the same run everywhere
  std::vector<double> x;   ///< rising
  std::vector<double> y;   ///< as long as `x`
  bool dashed = false;
};

enum class ChartKind : unsigned char {
  lines,
  steps,    ///< each y holds until the next x
  stacked,  ///< all series have the same x, and lie on one another
};

struct Chart {
  std::string id;
  std::string title;  ///< says in words what is to be seen
  ChartKind kind = ChartKind::lines;
  ChartAxis x;
  ChartAxis y;
  std::vector<ChartSeries> series;
  std::string note;  ///< what the figures are, and what is not recorded
};

/// What the page's script draws: numbers with six digits.
nlohmann::ordered_json as_json(const Chart& chart);

/// At most about `most` points: of each stretch of many the first, the least, the greatest and the last, so that no
/// peak is lost.
ChartSeries thinned(const ChartSeries& series, std::size_t most);
/// All series thinned; where that left points out, the note says so.
Chart thinned(Chart chart);

/// Another sentence at the end of a note.
void add_sentence(std::string& note, const std::string& sentence);

/// With six significant digits.
double rounded(double value);
nlohmann::ordered_json rounded_json(double value);  ///< null where it is not finite
nlohmann::ordered_json rounded_json(const std::vector<double>& values);
/// null where there is none.
nlohmann::ordered_json rounded_json(const std::vector<std::optional<double>>& values);

/// What a text says: a number, a rate in bytes/s, a time in seconds or a size in bytes. Nullopt: none of these.
std::optional<double> quantity_of(const std::string& text);

/// "number", "seconds", "bytes", ...: what the page's script calls a unit.
const char* unit_name(Unit unit);

}  // namespace dipaco::analysis

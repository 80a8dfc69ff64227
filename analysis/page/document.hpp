#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/page/charts.hpp"
#include "analysis/table.hpp"

namespace dipaco::analysis {

/// Puts a page together: one HTML file that loads nothing else.
class PageDocument {
 public:
  /// @param kind  which of the page's scripts draws: "run", "runs" or "sweep"
  PageDocument(std::string title, const std::string& kind);

  void heading(const std::string& text);
  void paragraph(const std::string& text);
  void table(const Table& table);
  /// Nothing where the chart has no series.
  void chart(const Chart& chart);
  /// Side by side where there is room.
  void charts(const std::vector<Chart>& charts);
  /// A figure that the page's script draws by itself from the data.
  void figure(const std::string& id, const std::string& title, const std::string& note);
  /// For the page's script.
  void data(const std::string& key, nlohmann::ordered_json value) { data_[key] = std::move(value); }
  std::string finish() const;

 private:
  std::string title_;
  std::string kind_;
  std::string body_;
  nlohmann::ordered_json data_;
};

}  // namespace dipaco::analysis

#pragma once

#include <string>

namespace dipaco {

/// What draws the charts of the status page, /charts.js: uPlot with its licence, and the scripts of analysis/page that
/// the report's page has, too.
std::string chart_script();
/// Its style and colours, /charts.css.
std::string chart_style();

}  // namespace dipaco

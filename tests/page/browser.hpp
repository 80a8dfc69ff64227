#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace dipaco::testing {

/// What a page says of itself in a browser (analysis/page/page.js, selfTest), and what the browser says of it.
struct Opened {
  nlohmann::json self_test;
  std::string console;  ///< lines of the browser's console
};

/// Opens a file in headless Chromium, to which no name leads anywhere. Fails the test where Chromium is not installed,
/// or the page has not tested itself within a minute.
Opened open_in_browser(const std::filesystem::path& page);

/// Runs a shell command: its stdout.
std::string said_by(const std::string& command);

}  // namespace dipaco::testing

#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/config/run_file.hpp"

namespace dipaco::testing {

/// What the ConfigError says that reading `text` as the file "runs/a.cfg" ends with.
inline std::string error_of(const std::string& text, const std::vector<std::string>& set = {}) {
  try {
    parse_run_text(text, "runs/a.cfg", set);
  } catch (const ConfigError& error) {
    return error.what();
  }
  FAIL("no ConfigError for:\n" << text);
  return {};
}

}  // namespace dipaco::testing

#pragma once

#include <string>
#include <vector>

#include "core/config/run_file.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {

/// Reads the run's configuration again, as a program does that brings `parts`, with `set` in its run file.
inline void read_again(MadeUpRun& made, const NamedParts& parts, const std::vector<std::string>& set) {
  made.config = parse_run_text(dump_config(made.config), made.folder() / "made_up.cfg", set, parts);
}

/// What is wrong with a run file of `text`; "" where nothing is.
inline std::string error_of(const std::string& text, const NamedParts& parts) {
  try {
    parse_run_text(text, "runs/a.cfg", {}, parts);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace dipaco::testing

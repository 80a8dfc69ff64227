// dipaco-run: runs a run file for real, in one process (loopback) or in several (gloo).

#include <algorithm>
#include <string>
#include <vector>

#include "programs/dipaco_run/gloo_command.hpp"
#include "programs/dipaco_run/loopback_command.hpp"
#include "programs/dipaco_run/preflight_command.hpp"

namespace {

/// Each backend has options of its own, so the command line is read once it is known.
bool names_gloo(const std::vector<std::string>& words) {
  const auto named = std::ranges::find(words, "--backend");
  const bool apart = named != words.end() && named + 1 != words.end() && named[1] == "gloo";
  return apart || std::ranges::find(words, "--backend=gloo") != words.end();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && argv[1] == std::string("preflight")) {
    return dipaco::run_program(dipaco::preflight_info(), argc, argv, dipaco::run_preflight_command);
  }
  if (names_gloo({argv + std::min(argc, 1), argv + argc})) {
    return dipaco::run_program(dipaco::gloo_info(), argc, argv, dipaco::run_gloo_command);
  }
  return dipaco::run_program(dipaco::loopback_info(), argc, argv, dipaco::run_loopback_command);
}

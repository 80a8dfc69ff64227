// dipaco-run: runs a run file for real, in one process (loopback) or in several (gloo).

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "programs/dipaco_run/gloo_command.hpp"
#include "programs/dipaco_run/loopback_command.hpp"
#include "programs/dipaco_run/preflight_command.hpp"
#include "programs/dipaco_run/validate_command.hpp"

namespace {

/// Each backend has options of its own, so the command line is read once it is known.
bool names_gloo(const std::vector<std::string>& words) {
  const auto named = std::ranges::find(words, "--backend");
  const bool apart = named != words.end() && named + 1 != words.end() && named[1] == "gloo";
  return apart || std::ranges::find(words, "--backend=gloo") != words.end();
}

/// What `info` has and `other` lacks, for whoever calls the other one.
dipaco::OtherOptions only_in(const dipaco::ProgramInfo& info, const dipaco::ProgramInfo& other,
                             const std::string& with) {
  dipaco::OtherOptions only{.with = with, .names = {}};
  for (const dipaco::ProgramOption& option : info.options) {
    const bool in_both =
        std::ranges::find(other.options, option.name, &dipaco::ProgramOption::name) != other.options.end();
    if (!in_both) only.names.push_back(option.name);
  }
  return only;
}

/// Of loopback and gloo; each knows which options are the other's.
std::pair<dipaco::ProgramInfo, dipaco::ProgramInfo> infos() {
  auto loopback = dipaco::loopback_info();
  auto gloo = dipaco::gloo_info();
  loopback.others = only_in(gloo, loopback, "--backend gloo");
  gloo.others = only_in(loopback, gloo, "--backend loopback");
  return {std::move(loopback), std::move(gloo)};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && argv[1] == std::string("preflight")) {
    return dipaco::run_program(dipaco::preflight_info(), argc, argv, dipaco::run_preflight_command);
  }
  if (argc > 1 && argv[1] == std::string("validate")) {
    return dipaco::run_program(dipaco::validate_info(), argc - 1, argv + 1, dipaco::run_validate_command);
  }
  const auto [loopback, gloo] = infos();
  if (names_gloo({argv + std::min(argc, 1), argv + argc})) {
    return dipaco::run_program(gloo, argc, argv, dipaco::run_gloo_command);
  }
  return dipaco::run_program(loopback, argc, argv, dipaco::run_loopback_command);
}

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "programs/dipaco/evaluate_command.hpp"
#include "programs/dipaco/init/init_command.hpp"
#include "programs/dipaco/inspect_command.hpp"
#include "programs/dipaco/prepare_command.hpp"
#include "programs/dipaco/replay_command.hpp"
#include "programs/shared/program.hpp"

namespace dipaco {
namespace {

struct Command {
  std::string name;
  ProgramInfo (*program)();
  ExitStatus (*run)(const Arguments&, const StopSignal&);
};

std::vector<Command> commands() {
  return {{"init", init_program, run_init},
          {"prepare", prepare_program, run_prepare},
          {"evaluate", evaluate_program, run_evaluate},
          {"inspect", inspect_program, run_inspect},
          {"replay", replay_program, run_replay}};
}

ProgramInfo dipaco_program() {
  return {.name = "dipaco",
          .purpose =
              "Works on the files of DiPaCo runs. Commands:\n"
              "  init      write a run file for your own text\n"
              "  prepare   make tokens, dense start, router and shards of a run file\n"
              "  evaluate  score a finished run, routed once a document or every W tokens\n"
              "  inspect   show a finished run's shards or modules\n"
              "  replay    compute a finished run without rounds again",
          .usage = "COMMAND [options]      (dipaco COMMAND --help says which)",
          .example = "dipaco prepare --run scenarios/runs/tiny.cfg",
          .words = 1,
          .libraries = core_libraries()};
}

/// What is left where the first word is no command.
ExitStatus no_command(const Arguments& arguments, const StopSignal&) {
  if (arguments.words().empty()) throw ConfigError("no command; write one, such as dipaco prepare --run FILE.cfg");
  std::vector<std::string> names;
  for (const Command& command : commands()) names.push_back(command.name);
  const std::string& word = arguments.words().front();
  const std::string nearest = did_you_mean(word, names);
  throw ConfigError("unknown command \"" + word + "\"" + (nearest.empty() ? "; --help lists the commands" : nearest));
}

int run(int argc, char** argv) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  for (const Command& command : commands()) {
    if (command.name == word) return run_program(command.program(), argc - 1, argv + 1, command.run);
  }
  // The word alone: the options of a command that is unknown are unknown, too.
  return run_program(dipaco_program(), std::min(argc, 2), argv, no_command);
}

}  // namespace
}  // namespace dipaco

int main(int argc, char** argv) { return dipaco::run(argc, argv); }

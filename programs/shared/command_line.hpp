#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dipaco {

/// One `--name` of a program.
struct ProgramOption {
  std::string name;                    ///< without dashes
  std::string value{};                 ///< what --help shows for its value ("FILE"); empty with no choices: a flag
  std::string help{};                  ///< a few words: --help gives each option one line of 80 columns
  std::vector<std::string> choices{};  ///< the allowed values, where they are few
  std::string initial{};               ///< its value where it is not given; empty: none
  bool repeatable = false;             ///< may be given several times
};

/// A library whose version --version prints.
struct Library {
  std::string name;
  std::string version;
};

/// Options that a program has only together with another one.
struct OtherOptions {
  std::string with;                ///< "--backend gloo"
  std::vector<std::string> names;  ///< without dashes
};

/// What one program takes and is. --help and --version are added to the options.
struct ProgramInfo {
  std::string name;                      ///< "dipaco-sim": starts every error line
  std::string purpose;                   ///< one line
  std::string usage;                     ///< what follows the name: "SCENARIO.xml [options]"
  std::string example{};                 ///< a command line that a person would type
  std::vector<ProgramOption> options{};  ///< in the order of --help
  std::size_t words = 0;                 ///< at most so many arguments without dashes
  std::vector<Library> libraries{};      ///< that this program uses; core_libraries() and more
  OtherOptions others{};                 ///< that it does not have as it was called, for the error that says so
};

/// A read command line. Every option was known, complete and given once unless repeatable; choices are checked.
class Arguments {
 public:
  struct Given {
    std::string name;
    std::string value;
  };

  Arguments(std::vector<ProgramOption> options, std::vector<Given> given, std::vector<std::string> words);

  /// Whether the program has this option. All that is asked below REQUIRES one that it has.
  bool knows(std::string_view name) const;
  bool given(std::string_view name) const;
  /// The value of an option, or its `initial`.
  std::string text(std::string_view name) const;
  /// The values of a repeatable option, in order.
  std::vector<std::string> all(std::string_view name) const;
  /// nullopt where neither given nor initial. @throws ConfigError naming the option unless an integer in [low, high].
  std::optional<std::int64_t> integer(std::string_view name, std::int64_t low, std::int64_t high) const;
  /// Arguments without dashes.
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::vector<ProgramOption> options_;
  std::vector<Given> given_;
  std::vector<std::string> words_;
};

/// Reads `--name value`, `--name=value` and words, in any order. Names are never abbreviated; there are no short ones.
/// @param arguments  without the program's name
/// @throws ConfigError: unknown option (with the nearest known one), missing or extra value, a value that is no choice,
///         an option given twice, too many words
Arguments read_command_line(const ProgramInfo& program, std::span<const std::string> arguments);

/// What --help prints: at most 24 lines of at most 80 columns for the programs of this project.
std::string help_text(const ProgramInfo& program);
/// What --version prints: the program with version and commit, then a line for each library.
std::string version_text(const ProgramInfo& program);

/// A word as a shell takes it for one, to print a command that can be pasted.
std::string for_shell(const std::string& word);

/// Libraries that core itself is built with, LibTorch among them where this build can learn.
std::vector<Library> core_libraries();
/// "0.1.0 (git 1a2b3c4)": the project's version and commit ("unknown" outside a git checkout), as in summary.json.
std::string project_version();

}  // namespace dipaco

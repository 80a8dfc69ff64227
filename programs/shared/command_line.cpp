#include "programs/shared/command_line.hpp"

#include <algorithm>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

namespace po = boost::program_options;

bool is_flag(const ProgramOption& option) { return option.value.empty() && option.choices.empty(); }

std::vector<ProgramOption> all_options(const ProgramInfo& program) {
  std::vector<ProgramOption> options = program.options;
  options.push_back({.name = "help", .help = "print this"});
  options.push_back({.name = "version", .help = "print the version of the program and of its libraries"});
  return options;
}

po::options_description describe(const std::vector<ProgramOption>& options) {
  po::options_description description;
  for (const ProgramOption& option : options) {
    if (is_flag(option)) {
      description.add_options()(option.name.c_str(), "");
    } else {
      description.add_options()(option.name.c_str(), po::value<std::string>(), "");
    }
  }
  return description;
}

std::string unknown(std::string option, const std::vector<ProgramOption>& options, const ProgramInfo& program) {
  const OtherOptions& others = program.others;
  const std::string word = option;
  option.resize(std::min(option.size(), option.find('=')));
  if (option.starts_with("--") && std::ranges::find(others.names, option.substr(2)) != others.names.end()) {
    return option + " goes with " + others.with + " only; add that, or leave out " + option;
  }
  std::vector<std::string> names;
  for (const ProgramOption& known : options) names.push_back("--" + known.name);
  const std::string nearest = did_you_mean(option, names);
  if (!nearest.empty()) return "unknown option " + option + nearest;
  std::error_code error;
  const bool is_file = program.words > 0 && std::filesystem::exists(word, error);
  return "unknown option " + option + "; --help lists the options" +
         (is_file ? ", and ./" + word + " names the file" : "");
}

std::string joined(const std::vector<std::string>& items, const char* separator) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : separator) + item;
  return text;
}

std::string no_value(const std::string& name) { return name + " has no value; write " + name + "=VALUE"; }

/// What is wrong with how `--name` is written.
std::string misuse(const po::invalid_command_line_syntax& error) {
  const std::string name = error.get_option_name();
  if (error.kind() == po::invalid_syntax::extra_parameter)
    return name + " takes no value; leave out what follows the =";
  return no_value(name);
}

po::parsed_options parse(std::span<const std::string> arguments, const std::vector<ProgramOption>& options,
                         const ProgramInfo& program) {
  const po::options_description description = describe(options);
  constexpr int kStyle = po::command_line_style::allow_long | po::command_line_style::long_allow_adjacent |
                         po::command_line_style::long_allow_next;
  try {
    // The result's own pointer to the description is not used after this function.
    return po::command_line_parser({arguments.begin(), arguments.end()}).options(description).style(kStyle).run();
  } catch (const po::unknown_option& error) {
    throw ConfigError(unknown(error.get_option_name(), options, program));
  } catch (const po::invalid_command_line_syntax& error) {
    throw ConfigError(misuse(error));
  } catch (const po::error& error) {
    throw ConfigError(std::string(error.what()) + "; --help lists the options");
  }
}

void check_given(const ProgramOption& option, const Arguments::Given& given, bool again) {
  if (again && !option.repeatable) throw ConfigError("--" + option.name + " is given twice; give it once");
  // Boost takes whatever comes next for the value.
  const bool none = given.value.empty() || given.value.starts_with("--");
  if (none && !is_flag(option)) throw ConfigError(no_value("--" + option.name));
  const auto& choices = option.choices;
  if (choices.empty() || std::find(choices.begin(), choices.end(), given.value) != choices.end()) return;
  throw ConfigError("--" + option.name + "=" + given.value + " is not allowed; write " + joined(choices, " or "));
}

/// `--name VALUE` as --help shows it.
std::string spelling(const ProgramOption& option) {
  const std::string value = option.value.empty() ? joined(option.choices, "|") : option.value;
  return "--" + option.name + (value.empty() ? "" : " " + value);
}

}  // namespace

Arguments::Arguments(std::vector<ProgramOption> options, std::vector<Given> given, std::vector<std::string> words)
    : options_(std::move(options)), given_(std::move(given)), words_(std::move(words)) {}

bool Arguments::knows(std::string_view name) const {
  return std::any_of(options_.begin(), options_.end(), [&](const auto& option) { return option.name == name; });
}

bool Arguments::given(std::string_view name) const { return !all(name).empty(); }

std::string Arguments::text(std::string_view name) const {
  const auto values = all(name);
  if (!values.empty()) return values.front();
  const auto option = std::find_if(options_.begin(), options_.end(), [&](const auto& o) { return o.name == name; });
  return option->initial;
}

std::vector<std::string> Arguments::all(std::string_view name) const {
  check(knows(name), "a program asks for its own options");
  std::vector<std::string> values;
  for (const Given& given : given_) {
    if (given.name == name) values.push_back(given.value);
  }
  return values;
}

std::optional<std::int64_t> Arguments::integer(std::string_view name, std::int64_t low, std::int64_t high) const {
  const std::string value = text(name);
  if (value.empty() && !given(name)) return std::nullopt;
  const auto number = parse_integer(value);
  if (number && *number >= low && *number <= high) return number;
  throw ConfigError("--" + std::string(name) + "=" + value + (number ? " is out of range" : " is no integer") +
                    "; write one from " + std::to_string(low) + " to " + std::to_string(high));
}

Arguments read_command_line(const ProgramInfo& program, std::span<const std::string> arguments) {
  const std::vector<ProgramOption> options = all_options(program);
  std::vector<Arguments::Given> given;
  std::vector<std::string> words;
  const auto end = std::ranges::find(arguments, "--");  // behind it there are words alone
  const auto before = arguments.first(static_cast<std::size_t>(end - arguments.begin()));
  for (const auto& parsed : parse(before, options, program).options) {
    if (parsed.position_key >= 0) {
      words.insert(words.end(), parsed.value.begin(), parsed.value.end());
      continue;
    }
    Arguments::Given one{parsed.string_key, parsed.value.empty() ? "" : parsed.value.front()};
    const auto option = std::find_if(options.begin(), options.end(), [&](const auto& o) { return o.name == one.name; });
    const bool again = std::any_of(given.begin(), given.end(), [&](const auto& g) { return g.name == one.name; });
    check_given(*option, one, again);
    given.push_back(std::move(one));
  }
  for (const std::string& word : words) {
    if (word.size() > 1 && word.front() == '-') throw ConfigError(unknown(word, options, program));
  }
  if (end != arguments.end()) words.insert(words.end(), end + 1, arguments.end());
  if (words.size() > program.words) {
    throw ConfigError("unexpected \"" + words[program.words] + "\"; usage: " + program.name + " " + program.usage);
  }
  return {options, std::move(given), std::move(words)};
}

std::string help_text(const ProgramInfo& program) {
  const std::vector<ProgramOption> options = all_options(program);
  std::size_t width = 0;
  for (const ProgramOption& option : options) width = std::max(width, spelling(option).size());
  std::string text = "Usage: " + program.name + " " + program.usage + "\n" + program.purpose + "\n\n";
  for (const ProgramOption& option : options) {
    std::string line = "  " + spelling(option);
    line.resize(width + 4, ' ');
    text += line + option.help + (option.initial.empty() ? "" : " [" + option.initial + "]") + "\n";
  }
  return text + "\nExample: " + program.example + "\n";
}

std::string for_shell(const std::string& word) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:=,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return quoted + "'";
}

std::string version_text(const ProgramInfo& program) {
  std::string text = program.name + " " + project_version() + "\n";
  for (const Library& library : program.libraries) text += "  " + library.name + " " + library.version + "\n";
  return text;
}

}  // namespace dipaco

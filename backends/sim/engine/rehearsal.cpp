#include "backends/sim/engine/rehearsal.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string_view>
#include <system_error>

#include "core/base/error.hpp"
#include "core/base/file.hpp"

/// Where SimGrid's reader is in the file. Not part of its documented interface: weak, so that a version without it
/// links.
extern __attribute__((weak)) int surf_parse_lineno;

namespace dipaco {
namespace {

// The child's last line on its pipe: one letter and the text.
constexpr char kOurs = 'C';      // ConfigError
constexpr char kData = 'D';      // DataError
constexpr char kSimGrids = 'S';  // any other exception
constexpr char kAborted = 'A';   // an assertion; the line

int line_now() { return &surf_parse_lineno != nullptr ? surf_parse_lineno : 0; }

void report(char kind, const std::string& text) {
  std::string line = "\nREHEARSAL ";
  line += kind;
  line += text;
  line += '\n';
  std::size_t at = 0;
  while (at < line.size()) {
    const ssize_t written = ::write(STDERR_FILENO, line.data() + at, line.size() - at);
    if (written <= 0) return;
    at += static_cast<std::size_t>(written);
  }
}

extern "C" void on_abort(int) {
  std::array<char, 32> text{};
  const int length = std::snprintf(text.data(), text.size(), "\nREHEARSAL %c%d\n", kAborted, line_now());
  if (::write(STDERR_FILENO, text.data(), static_cast<std::size_t>(length)) < 0) std::_Exit(2);
  std::_Exit(2);
}

[[noreturn]] void perform(const std::function<void()>& load) {
  std::signal(SIGABRT, on_abort);
  std::signal(SIGSEGV, on_abort);
  try {
    load();
  } catch (const ConfigError& error) {
    report(kOurs, error.what());
  } catch (const DataError& error) {
    report(kData, error.what());
  } catch (const std::exception& error) {
    report(kSimGrids, error.what());
  }
  // No destructors: they belong to the parent.
  std::_Exit(0);
}

std::string read_all(int pipe) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t count = ::read(pipe, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

std::string place(const std::filesystem::path& scenario, const std::string& line) {
  return scenario.string() + (line.empty() || line == "0" ? "" : ":" + line) + ": ";
}

/// The last line that has in quotes what SimGrid names last, as in "second host named 'a'." or "Link not found: zz".
std::string line_of_name(const std::filesystem::path& scenario, std::string_view text) {
  while (!text.empty() && (text.back() == '.' || text.back() == '\'')) text.remove_suffix(1);
  const std::string name(text.substr(text.find_last_of(" ':") + 1));
  std::istringstream lines(read_text(scenario));
  int found = 0;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    for (const char quote : {'"', '\''}) {
      if (line.find(quote + name + quote) != std::string::npos) found = number;
    }
  }
  return std::to_string(found);
}

/// SimGrid's text with the line where it was. Its parser says it ("Parse error at FILE:LINE: Invalid XML (XML input
/// line 4, state 75): what"); its other exceptions name what they mean, and some list behind it all that they know.
std::string locate(const std::filesystem::path& scenario, const std::string& text) {
  std::string first = text.substr(0, text.find('\n'));
  // "No such 'x'. Existing netpoints:" announces a list that is left out.
  if (first.ends_with(":") && text.size() > first.size()) first.resize(first.rfind(". ") + 1);
  const std::string parser = "Parse error at " + scenario.string() + ":";
  if (!first.starts_with(parser)) return place(scenario, line_of_name(scenario, first)) + first;
  const auto colon = first.find(": ", parser.size());
  std::string what = first.substr(colon + 2);
  if (what.starts_with("Invalid XML (")) what = what.substr(what.find("): ") + 3);
  return place(scenario, first.substr(parser.size(), colon - parser.size())) + what;
}

/// "[0.000000] ./src/...cpp:529: [root/CRITICAL] Not a valid model!" -> "Not a valid model!"
std::vector<std::string> logged(const std::string& output, const std::string& level) {
  std::vector<std::string> messages;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const auto at = line.find("/" + level + "] ");
    if (at != std::string::npos) messages.push_back(line.substr(at + level.size() + 3));
  }
  return messages;
}

void judge(const std::filesystem::path& scenario, const std::string& output) {
  const auto at = output.rfind("\nREHEARSAL ");
  if (at == std::string::npos) return;
  const char kind = output[at + 11];
  std::string text = output.substr(at + 12);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (kind == kOurs) throw ConfigError(text);
  if (kind == kData) throw DataError(text);
  if (kind == kSimGrids) {
    throw ConfigError(locate(scenario, text) + " (SimGrid; docs/scenarios.md says how to write a scenario)");
  }
  const auto critical = logged(output, "CRITICAL");
  throw ConfigError(place(scenario, text) + (critical.empty() ? "SimGrid cannot load it" : critical.front()) +
                    " (SimGrid; docs/scenarios.md says how to write a scenario)");
}

}  // namespace

Rehearsal rehearse(const std::filesystem::path& scenario, const std::function<void()>& load) {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    ::dup2(pipe[1], STDERR_FILENO);
    ::dup2(pipe[1], STDOUT_FILENO);
    ::close(pipe[0]);
    ::close(pipe[1]);
    perform(load);
  }
  ::close(pipe[1]);
  const std::string output = read_all(pipe[0]);
  ::close(pipe[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  judge(scenario, output);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw ConfigError(scenario.string() + ": SimGrid cannot load it (docs/scenarios.md says how to write a scenario)");
  }
  return {logged(output, "WARNING")};
}

}  // namespace dipaco

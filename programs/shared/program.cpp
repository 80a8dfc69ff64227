#include "programs/shared/program.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <iostream>
#include <new>
#include <optional>
#include <string>
#include <vector>

namespace dipaco {
namespace {

constexpr int kBug = 70;         // EX_SOFTWARE of sysexits.h
constexpr int kSignalled = 128;  // what shells add to a signal's number

int fail(const ProgramInfo& program, int status, std::string what) {
  std::replace(what.begin(), what.end(), '\n', ' ');
  std::cerr << program.name << ": " << what << std::endl;
  return status;
}

int bug(const ProgramInfo& program, std::string what) {
  if (!what.starts_with("bug:")) what = "bug: " + what;
  return fail(program, kBug, what + "; please report it with the command line");
}

int run(const ProgramInfo& program, int argc, char** argv, const ProgramBody& body, const StopSignal& stop) {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const Arguments arguments = read_command_line(program, words);
  if (arguments.given("help")) {
    std::cout << help_text(program);
    return 0;
  }
  if (arguments.given("version")) {
    std::cout << version_text(program);
    return 0;
  }
  return static_cast<int>(body(arguments, stop));
}

/// True once the other end of stdout has gone away.
bool reader_is_gone() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

int end_output(const ProgramInfo& program, int status) {
  std::cout.flush();
  if (std::cout.good() || status != 0 || reader_is_gone()) return status;
  return fail(program, static_cast<int>(ExitStatus::data),
              "standard output: cannot be written; free some space or write elsewhere");
}

}  // namespace

int run_program(const ProgramInfo& program, int argc, char** argv, const ProgramBody& body) {
  std::signal(SIGPIPE, SIG_IGN);
  std::optional<StopSignal> stop;
  try {
    stop.emplace();
    return end_output(program, run(program, argc, argv, body, *stop));
  } catch (const ConfigError& error) {
    return fail(program, static_cast<int>(ExitStatus::usage), error.what());
  } catch (const DataError& error) {
    return fail(program, static_cast<int>(ExitStatus::data), error.what());
  } catch (const RunError& error) {
    return fail(program, error.exit_status(), error.what());
  } catch (const Interrupted& stopped) {
    const char* name = stop->number() == SIGTERM ? "SIGTERM" : "SIGINT";
    return fail(program, kSignalled + stop->number(), std::string("stopped by ") + name + ": " + stopped.what());
  } catch (const std::bad_alloc&) {
    return fail(program, kBug,
                "memory ran out; use fewer --threads, a smaller inner.micro_batch, shorter rows or a smaller model");
  } catch (const std::exception& error) {
    return bug(program, error.what());
  }
}

}  // namespace dipaco

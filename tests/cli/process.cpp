#include "tests/cli/process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace dipaco::testing {
namespace {

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  return ends;
}

/// All that comes until the other end closes. Outputs of these tests fit a pipe, so one may be read after the other.
std::string drain(int descriptor) {
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t count = 0; (count = read(descriptor, part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  close(descriptor);
  return text;
}

[[noreturn]] void become(std::vector<std::string> words, int output, int error) {
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(error, STDERR_FILENO);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(pointers.front(), pointers.data());
  _exit(127);
}

}  // namespace

Outcome run_built(const std::string& name, const std::vector<std::string>& arguments, Output output) {
  std::vector<std::string> words{std::string(DIPACO_BINARY_DIR "/bin/") + name};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const auto out = make_pipe();
  const auto error = make_pipe();
  const int full = open("/dev/full", O_WRONLY);
  if (output == Output::nobody_reads) close(out[0]);
  const pid_t child = fork();
  if (child == 0) {
    if (output != Output::nobody_reads) close(out[0]);
    close(error[0]);
    become(words, output == Output::full_disk ? full : out[1], error[1]);
  }
  close(out[1]);
  close(error[1]);
  close(full);
  Outcome outcome;
  if (output != Output::nobody_reads) outcome.output = drain(out[0]);
  outcome.error = drain(error[0]);
  int status = 0;
  waitpid(child, &status, 0);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

}  // namespace dipaco::testing

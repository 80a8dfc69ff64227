#include "tests/programs/process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <csignal>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace dipaco::testing {
namespace {

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  return ends;
}

/// All that comes until the other end closes; calls `seen` with what has come so far.
std::string drain(int descriptor, const std::function<void(const std::string&)>& seen = {}) {
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t count = 0; (count = read(descriptor, part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(count));
    if (seen) seen(text);
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

/// A started program and the ends of its pipes.
struct Started {
  pid_t child = -1;
  int output = -1;  ///< -1: nobody reads
  int error = -1;
};

Started start(const std::string& name, const std::vector<std::string>& arguments, Output output) {
  std::vector<std::string> words{std::string(DIPACO_BINARY_DIR "/bin/") + name};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const auto out = make_pipe();
  const auto error = make_pipe();
  if (output == Output::nobody_reads) close(out[0]);
  const pid_t child = fork();
  if (child == 0) become(words, output == Output::full_disk ? open("/dev/full", O_WRONLY) : out[1], error[1]);
  close(out[1]);
  close(error[1]);
  return {child, output == Output::nobody_reads ? -1 : out[0], error[0]};
}

/// Outputs of these tests fit a pipe, so one is read after the other.
Outcome finish(const Started& started, const std::function<void(const std::string&)>& seen = {},
               const std::function<void()>& silent = {}) {
  Outcome outcome;
  outcome.error = drain(started.error, seen);
  if (started.output >= 0) outcome.output = drain(started.output);
  if (silent) silent();
  int status = 0;
  waitpid(started.child, &status, 0);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

}  // namespace

Outcome run_built(const std::string& name, const std::vector<std::string>& arguments, Output output) {
  return finish(start(name, arguments, output));
}

Outcome run_until(const std::string& word, int signal, const std::string& name,
                  const std::vector<std::string>& arguments) {
  const Started started = start(name, arguments, Output::read);
  bool sent = false;
  return finish(started, [&](const std::string& error) {
    if (sent || error.find(word) == std::string::npos) return;
    sent = true;
    kill(started.child, signal);
  });
}

Outcome run_for(std::chrono::milliseconds time, const std::string& name, const std::vector<std::string>& arguments) {
  const Started started = start(name, arguments, Output::read);
  std::mutex mutex;
  std::condition_variable_any changed;
  // Ended before the child is waited for: another process could have its number then.
  std::jthread killer([&](const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, stop, time, [] { return false; });
    if (!stop.stop_requested()) kill(started.child, SIGKILL);
  });
  return finish(started, {}, [&] { killer = {}; });
}

}  // namespace dipaco::testing

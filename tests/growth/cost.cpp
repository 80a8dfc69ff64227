#include "tests/growth/cost.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>

namespace dipaco::testing {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using TemporaryFile = std::unique_ptr<std::FILE, CloseFile>;

TemporaryFile temporary() {
  TemporaryFile file(std::tmpfile());
  if (file == nullptr) throw std::runtime_error("no temporary file");
  return file;
}

std::string text_of(std::FILE* file) {
  std::rewind(file);
  std::string text;
  for (int c = 0; (c = std::fgetc(file)) != EOF;) text.push_back(static_cast<char>(c));
  return text;
}

/// The child's side: waits until it is counted, which is said by the end of `gate`.
[[noreturn]] void become_counted(std::vector<std::string> words, int gate, std::FILE* output, std::FILE* error) {
  char unused = 0;
  while (::read(gate, &unused, 1) < 0) {
  }
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(::fileno(output), STDOUT_FILENO);
  ::dup2(::fileno(error), STDERR_FILENO);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(pointers.front(), pointers.data());
  ::_exit(127);
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

Ended run_counted(const std::vector<std::string>& words, Counted what) {
  const TemporaryFile output = temporary();
  const TemporaryFile error = temporary();
  std::array<int, 2> gate{};
  if (::pipe2(gate.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    ::close(gate[1]);
    become_counted(words, gate[0], output.get(), error.get());
  }
  ::close(gate[0]);
  const Counter counter(child, what);
  ::close(gate[1]);
  int status = 0;
  rusage usage{};
  while (::wait4(child, &status, 0, &usage) < 0) {
  }
  if (status != 0) {
    throw std::runtime_error(words.front() + " ended with wait status " + std::to_string(status) + ": " +
                             text_of(error.get()));
  }
  return {counter.count(), seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime), text_of(output.get())};
}

}  // namespace dipaco::testing

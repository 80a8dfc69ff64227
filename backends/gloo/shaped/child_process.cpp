#include "backends/gloo/shaped/child_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

#include "core/base/descriptor.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

constexpr int kNotStarted = 127;  // what shells say of a program that is not there
constexpr int kSignalled = 128;

Descriptor opened(const std::filesystem::path& file) {
  Descriptor descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!descriptor) throw DataError(file.string() + ": " + std::strerror(errno));
  return descriptor;
}

/// In the child: its signals are the usual ones again, and it ends with its parent.
[[noreturn]] void become(char* const* words, int out, int log) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpgid(0, 0);  // a terminal's Ctrl-C is the parent's affair
  ::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::execvp(words[0], words);
  ::_exit(kNotStarted);
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& words, ChildOutput output) : output_(std::move(output)) {
  const Descriptor out = opened(output_.out);
  const Descriptor log = opened(output_.log);
  std::vector<std::string> own = words;
  std::vector<char*> pointers;
  for (std::string& word : own) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  process_ = ::fork();
  if (process_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (process_ == 0) become(pointers.data(), out.get(), log.get());
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : output_(std::move(other.output_)), process_(std::exchange(other.process_, -1)), status_(other.status_) {}

ChildProcess::~ChildProcess() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<int> ChildProcess::look() {
  if (process_ < 0) return status_;
  int status = 0;
  if (::waitpid(process_, &status, WNOHANG) != process_) return std::nullopt;
  process_ = -1;
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
  return status_;
}

void ChildProcess::signal(int number) {
  if (process_ >= 0) ::kill(process_, number);
}

std::string ChildProcess::last_words() const {
  std::string last;
  for (const std::string& line : split(read_text(output_.log), '\n')) {
    if (!line.empty()) last = line;
  }
  return last;
}

}  // namespace dipaco

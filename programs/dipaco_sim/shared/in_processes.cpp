#include "programs/dipaco_sim/shared/in_processes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include "core/base/error.hpp"
#include "programs/shared/program.hpp"

namespace dipaco {
namespace {

struct Child {
  std::size_t job = 0;
  pid_t process = -1;
  int pipe = -1;
  std::string said;
};

Told outcome_of(const std::function<std::string()>& job) {
  try {
    return {job(), static_cast<int>(ExitStatus::done)};
  } catch (const ConfigError& error) {
    return {error.what(), static_cast<int>(ExitStatus::usage)};
  } catch (const DataError& error) {
    return {error.what(), static_cast<int>(ExitStatus::data)};
  } catch (const RunError& error) {
    return {error.what(), error.exit_status()};
  } catch (const std::exception& error) {
    return {error.what(), static_cast<int>(ExitStatus::no_progress)};
  }
}

void write_all(int pipe, const std::string& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t written = ::write(pipe, text.data() + at, text.size() - at);
    if (written <= 0) return;
    at += static_cast<std::size_t>(written);
  }
}

/// In the child: its signals are the usual ones again, and it ends with its parent.
[[noreturn]] void perform(const std::function<std::string()>& job, int pipe) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpgid(0, 0);  // a terminal's Ctrl-C is the parent's affair
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  const Told told = outcome_of(job);
  write_all(pipe, std::string(1, static_cast<char>(told.status)) + told.text);
  std::_Exit(0);  // no destructors: they belong to the parent
}

Child begin(std::size_t number, const std::function<std::string()>& job) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const pid_t process = ::fork();
  if (process < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (process == 0) perform(job, ends[1]);
  ::close(ends[1]);
  return {.job = number, .process = process, .pipe = ends[0], .said = {}};
}

/// @returns whether the child has said all
bool read_from(Child& child) {
  std::array<char, 4096> buffer{};
  const ssize_t count = ::read(child.pipe, buffer.data(), buffer.size());
  if (count < 0 && errno == EINTR) return false;
  if (count > 0) child.said.append(buffer.data(), static_cast<std::size_t>(count));
  return count <= 0;
}

void end(const Child& child) {
  ::close(child.pipe);
  while (::waitpid(child.process, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Told told_by(const Child& child) {
  if (child.said.empty()) return {"its process has ended by a signal", static_cast<int>(ExitStatus::no_progress), true};
  return {child.said.substr(1), static_cast<int>(child.said.front())};
}

/// Waits until one of them says something, or for a moment. Those that have said all are among them no more.
std::vector<Child> take_ended(std::vector<Child>& running) {
  constexpr int kMoment = 200;  // milliseconds; then who asks looks whether all is to end
  std::vector<pollfd> pipes;
  for (const Child& child : running) pipes.push_back({.fd = child.pipe, .events = POLLIN, .revents = 0});
  std::vector<Child> ended;
  if (::poll(pipes.data(), pipes.size(), kMoment) <= 0) return ended;
  for (std::size_t k = 0; k < pipes.size(); ++k) {
    if (pipes[k].revents == 0 || !read_from(running[k])) continue;
    end(running[k]);
    ended.push_back(std::move(running[k]));
    running[k].process = -1;
  }
  std::erase_if(running, [](const Child& child) { return child.process == -1; });
  return ended;
}

}  // namespace

std::vector<Told> in_processes(const std::vector<std::function<std::string()>>& jobs, int at_once,
                               const std::atomic<bool>& stop,
                               const std::function<void(std::size_t, const Told&)>& each) {
  std::vector<Told> told(jobs.size());
  std::vector<Child> running;
  std::size_t begun = 0;
  const auto fill = [&] {
    for (; begun < jobs.size() && std::ssize(running) < at_once && !stop; ++begun) {
      running.push_back(begin(begun, jobs[begun]));
    }
  };
  for (fill(); begun < jobs.size() || !running.empty(); fill()) {
    const auto ended = take_ended(running);
    fill();  // they work while what the others said is kept
    for (const Child& child : ended) {
      told[child.job] = told_by(child);
      if (each) each(child.job, told[child.job]);
    }
    if (!stop) continue;
    for (const Child& child : running) ::kill(child.process, SIGKILL);
    for (const Child& child : running) end(child);
    throw Interrupted("stopped before its end; run it again to start over");
  }
  return told;
}

std::string text_of(const Told& told) {
  if (told.status == static_cast<int>(ExitStatus::done)) return told.text;
  if (told.status == static_cast<int>(ExitStatus::usage)) throw ConfigError(told.text);
  if (told.status == static_cast<int>(ExitStatus::data)) throw DataError(told.text);
  throw RunError(told.status, told.text);
}

std::string in_a_process(const std::function<std::string()>& job, const std::atomic<bool>& stop) {
  return text_of(in_processes({job}, 1, stop).front());
}

}  // namespace dipaco

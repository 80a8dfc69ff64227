#include "tests/gloo/processes.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "core/base/file.hpp"

extern char** environ;

namespace dipaco::testing {
namespace {

constexpr double kFrozenFor = 2;  // two liveness limits of the toy run
constexpr int kMostStarts = 5;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::uint16_t free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ::bind(socket, reinterpret_cast<sockaddr*>(&address), size);
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(socket);
  return ntohs(address.sin_port);
}

std::filesystem::path make_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "dipaco-XXXXXX").string();
  return ::mkdtemp(name.data());
}

}  // namespace

ToyProcesses::ToyProcesses(std::vector<ToyProcess> processes, std::string expect)
    : processes_(std::move(processes)), expect_(std::move(expect)), folder_(make_folder()), port_(free_port()) {
  for (ToyProcess& process : processes_) start(process);
}

ToyProcesses::~ToyProcesses() {
  for (const ToyProcess& process : processes_) {
    if (process.over) continue;
    ::kill(process.pid, SIGKILL);
    ::waitpid(process.pid, nullptr, 0);
  }
  std::filesystem::remove_all(folder_);
}

void ToyProcesses::start(ToyProcess& process) {
  const std::size_t k = static_cast<std::size_t>(&process - processes_.data());
  std::vector<std::string> words{std::string(DIPACO_BINARY_DIR) + "/bin/dipaco_toy_node", (folder_ / "out").string(),
                                 std::to_string(port_), process.roles, expect_};
  if (process.starts == 0) words.insert(words.end(), process.fault.begin(), process.fault.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string place = (folder_ / std::to_string(k)).string();
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 1, (place + ".out").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawn_file_actions_addopen(&files, 2, (place + ".log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  const int failed = ::posix_spawn(&process.pid, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) throw std::runtime_error(words[0] + " does not start");
  ++process.starts;
}

void ToyProcesses::changed(ToyProcess& process, int status) {
  if (WIFSTOPPED(status)) {
    signals_.push_back(WSTOPSIG(status));
    frozen_.push_back({process.pid, now() + kFrozenFor});
    return;
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (code > 128) signals_.push_back(code - 128);
  const bool again = code > 128 && process.starts < kMostStarts;
  if (again) return start(process);
  process.over = true;
  process.status = code;
}

bool ToyProcesses::tend() {
  for (ToyProcess& process : processes_) {
    int status = 0;
    if (!process.over && ::waitpid(process.pid, &status, WNOHANG | WUNTRACED) == process.pid) changed(process, status);
  }
  std::erase_if(frozen_, [](const Frozen& frozen) {
    if (now() < frozen.until) return false;
    ::kill(frozen.pid, SIGCONT);
    return true;
  });
  return !std::ranges::all_of(processes_, &ToyProcess::over);
}

std::string ToyProcesses::answer() const {
  std::string answer;
  if (!std::ranges::all_of(processes_, &ToyProcess::over)) return "not over in time";
  for (std::size_t k = 0; k < processes_.size(); ++k) {
    const ToyProcess& process = processes_[k];
    if (process.status != 0) {
      return process.roles + " ended with status " + std::to_string(process.status) + ": " + log(k);
    }
    answer += read_text(folder_ / (std::to_string(k) + ".out"));
  }
  while (!answer.empty() && answer.back() == '\n') answer.pop_back();
  return answer;
}

std::vector<std::string> run_all(std::deque<ToyProcesses>& runs, Seconds limit) {
  const double until = now() + limit.count();
  bool running = true;
  while (running && now() < until) {
    running = false;
    for (ToyProcesses& run : runs) running |= run.tend();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::vector<std::string> answers;
  for (const ToyProcesses& run : runs) answers.push_back(run.answer());
  return answers;
}

std::string run(ToyProcesses& processes, Seconds limit) {
  const double until = now() + limit.count();
  while (processes.tend() && now() < until) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return processes.answer();
}

std::string ToyProcesses::log(std::size_t k) const { return read_text(folder_ / (std::to_string(k) + ".log")); }

}  // namespace dipaco::testing

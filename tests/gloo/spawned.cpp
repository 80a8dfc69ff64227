#include "tests/gloo/spawned.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <random>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/file.hpp"

extern char** environ;

namespace dipaco::testing {

std::string built(const std::string& program) {
  return program.starts_with("/") ? program : std::string(DIPACO_BINARY_DIR) + "/bin/" + program;
}

Spawned::Spawned(const std::vector<std::string>& words, const std::string& files, const Variables& environment)
    : files_(files) {
  std::vector<std::string> all = words;
  all.front() = built(all.front());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::vector<std::string> assignments;
  for (const auto& [name, value] : environment) assignments.push_back(name + "=" + value);
  std::vector<char*> variables;
  for (std::string& assignment : assignments) variables.push_back(assignment.data());  // the first of a name counts
  for (char** own = environ; *own != nullptr; ++own) variables.push_back(*own);
  variables.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kAppend = O_WRONLY | O_CREAT | O_APPEND;
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, (files + ".out").c_str(), kAppend, 0644);
  posix_spawn_file_actions_addopen(&actions, 2, (files + ".log").c_str(), kAppend, 0644);
  const int failed = ::posix_spawn(&pid_, arguments.front(), &actions, nullptr, arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error(all.front() + " does not start");
  over_ = false;
}

Spawned::~Spawned() {
  if (over_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

Spawned::Spawned(Spawned&& other) noexcept { *this = std::move(other); }

Spawned& Spawned::operator=(Spawned&& other) noexcept {
  std::swap(files_, other.files_);
  std::swap(pid_, other.pid_);
  std::swap(over_, other.over_);
  std::swap(status_, other.status_);
  return *this;
}

void Spawned::signal(int number) const {
  if (!over_) ::kill(pid_, number);
}

Spawned::Change Spawned::look() {
  int status = 0;
  if (over_ || ::waitpid(pid_, &status, WNOHANG | WUNTRACED) != pid_) return Change::none;
  if (WIFSTOPPED(status)) return Change::stopped;
  over_ = true;
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return Change::over;
}

int Spawned::wait(double seconds) {
  const double until = now() + seconds;
  while (!over_ && now() < until) {
    look();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return over_ ? status_ : -1;
}

std::string Spawned::output() const { return read_text(files_ + ".out"); }
std::string Spawned::log() const { return read_text(files_ + ".log"); }

std::uint16_t free_port() {
  std::random_device draw;
  std::uniform_int_distribution<std::uint16_t> ports(10'000, 32'767);
  for (;;) {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    if (socket < 0) throw std::system_error(errno, std::generic_category(), "no socket to find a free port with");
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(ports(draw));
    const bool free = ::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    ::close(socket);
    if (free) return ntohs(address.sin_port);
  }
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::filesystem::path make_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "dipaco-XXXXXX").string();
  return ::mkdtemp(name.data());
}

}  // namespace dipaco::testing

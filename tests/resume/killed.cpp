#include "tests/resume/killed.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include "core/base/file.hpp"

namespace dipaco::testing {
namespace {

[[noreturn]] void be_child(const std::function<std::string()>& what, int out) {
  std::signal(SIGABRT, SIG_DFL);  // not this test's framework's
  std::signal(SIGSEGV, SIG_DFL);
  std::string text;
  try {
    text = what();
  } catch (const std::exception& error) {
    text = std::string("threw: ") + error.what();
  }
  text += '.';  // it came to its end
  const bool written = write(out, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  std::_Exit(written ? 0 : 1);
}

}  // namespace

std::optional<std::string> in_child_for(std::chrono::microseconds time, const std::function<std::string()>& what) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  const auto until = std::chrono::steady_clock::now() + time;
  const pid_t child = fork();
  if (child == 0) be_child(what, ends[1]);
  close(ends[1]);
  std::string text;
  bool killed = false;
  for (;;) {
    const auto left = until - std::chrono::steady_clock::now();
    const timespec wait{left / std::chrono::seconds(1), (left % std::chrono::seconds(1)) / std::chrono::nanoseconds(1)};
    pollfd output{ends[0], POLLIN, 0};
    if (!killed && (left.count() <= 0 || ppoll(&output, 1, &wait, nullptr) == 0)) {
      kill(child, SIGKILL);
      killed = true;
    }
    std::array<char, 4096> part{};
    const ssize_t count = read(ends[0], part.data(), part.size());
    if (count <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (text.empty() || text.back() != '.') {
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return std::nullopt;
    return "died";
  }
  text.pop_back();
  return text;
}

bool DeadlyStorage::put_if_absent(const std::string& key, const ToStore& value) {
  if (last()) raise(SIGKILL);
  return DirectoryStorage::put_if_absent(key, value);
}

void DeadlyStorage::put(const std::string& key, const ToStore& value) {
  if (last()) {
    append_file(folder_ / (key + ".part"), value.bytes.first(value.bytes.size() / 2));  // what write_file leaves
    raise(SIGKILL);
  }
  DirectoryStorage::put(key, value);
}

void DeadlyStorage::remove(const std::string& key) {
  if (last()) raise(SIGKILL);
  DirectoryStorage::remove(key);
}

void DeadlyStorage::append(const std::string& log, std::span<const std::byte> record) {
  if (last()) {
    DirectoryStorage::append(log, record.first(record.size() / 2));
    raise(SIGKILL);
  }
  DirectoryStorage::append(log, record);
}

Used used(const std::filesystem::path& folder) {
  Used used;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    ++used.files;
    used.bytes += entry.file_size();
    if (entry.path().extension() == ".part") used.whole = false;
  }
  return used;
}

}  // namespace dipaco::testing

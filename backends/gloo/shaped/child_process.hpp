#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dipaco {

/// Where what a program says goes. Both files are made anew.
struct ChildOutput {
  std::filesystem::path out;  ///< its stdout
  std::filesystem::path log;  ///< its stderr
};

/// A program that this process has started. It ends with this process, and with this object; signals to this process
/// are not for it.
class ChildProcess {
 public:
  /// @param words  the program, looked for in PATH, and its arguments. REQUIRES one
  /// @throws DataError where a file cannot be written; std::system_error. A program that is not there ends with 127
  ChildProcess(const std::vector<std::string>& words, ChildOutput output);
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) = delete;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Its exit status, or 128 + the signal that ended it; nullopt: it runs.
  std::optional<int> look();
  /// Nothing where it has ended.
  void signal(int number);
  /// The last line that it has written to stderr, "" where there is none.
  std::string last_words() const;

 private:
  ChildOutput output_;
  pid_t process_ = -1;  ///< -1: it has ended
  int status_ = 0;
};

}  // namespace dipaco

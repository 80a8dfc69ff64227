#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace dipaco::testing {

/// Seconds that no process of a small run takes.
inline constexpr double kProcessLimit = 120;

/// Of the environment, by their names.
using Variables = std::map<std::string, std::string>;

/// The path of a program of the build's bin/; a path is left as it is.
std::string built(const std::string& program);

/// A started process, whose output goes to `files` + ".out" and + ".log"; what is there from an earlier one stays.
class Spawned {
 public:
  /// @param words  a program of the build's bin/ or a path, and its arguments
  /// @param environment  beside this process's own
  Spawned(const std::vector<std::string>& words, const std::string& files, const Variables& environment = {});
  /// Kills it where it is not over.
  ~Spawned();
  Spawned(Spawned&& other) noexcept;
  Spawned& operator=(Spawned&& other) noexcept;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  /// Looks whether it has ended, or stops.
  enum class Change : std::uint8_t { none, stopped, over };
  Change look();
  bool over() const { return over_; }
  /// Its exit status, or 128 + signal. REQUIRES over()
  int status() const { return status_; }
  /// Waits for its end, at most so long. @returns its status; -1: it is not over
  int wait(double seconds);
  std::string output() const;
  std::string log() const;

 private:
  std::string files_;
  pid_t pid_ = -1;
  bool over_ = true;
  int status_ = -1;
};

/// A port of this machine that nobody listens on, and that no connection gets by itself.
std::uint16_t free_port();

/// Seconds, by a steady clock.
double now();

/// A new folder for a test's files.
std::filesystem::path make_folder();

}  // namespace dipaco::testing

#pragma once

#include <sys/file.h>
#include <unistd.h>

#include <utility>

namespace dipaco {

/// A file descriptor that closes itself, and gives its lock back with that.
class Descriptor {
 public:
  Descriptor() = default;
  /// @param fd  below 0 for none, as open() gives it with its errno
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  explicit operator bool() const { return fd_ >= 0; }
  int get() const { return fd_; }
  /// Keeps other processes from the same; false with its errno, EWOULDBLOCK where another has it.
  bool lock() const { return ::flock(fd_, LOCK_EX | LOCK_NB) == 0; }
  bool wait_for_lock() const { return ::flock(fd_, LOCK_EX) == 0; }
  bool sync() const { return ::fsync(fd_) == 0; }

 private:
  int fd_ = -1;
};

}  // namespace dipaco

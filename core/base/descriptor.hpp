#pragma once

#include <sys/file.h>
#include <unistd.h>

#include <utility>

namespace dipaco {

/// Owns a file descriptor. The destructor closes it, which also releases its lock. Move-only; throws nothing.
class Descriptor {
 public:
  Descriptor() = default;
  /// @param fd  what open() returned; below 0: it failed, and errno says why
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
  /// Takes flock()'s exclusive lock without waiting. False: errno says why, EWOULDBLOCK where another has it.
  bool lock() const { return ::flock(fd_, LOCK_EX | LOCK_NB) == 0; }
  /// The same, but blocks until the lock is free.
  bool wait_for_lock() const { return ::flock(fd_, LOCK_EX) == 0; }
  /// Makes what was written durable (fsync). False: errno says why.
  bool sync() const { return ::fsync(fd_) == 0; }

 private:
  int fd_ = -1;
};

}  // namespace dipaco

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <thread>

#include "tests/gloo/spawned.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {

/// A Redis server of this test's own, on a loopback address.
class RedisServer {
 public:
  RedisServer();
  ~RedisServer();
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  /// On the same port as ever, with nothing kept. Waits until it answers.
  void start();
  void stop();
  /// It answers nobody, until thaw().
  void freeze() const;
  void thaw() const;
  std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }
  std::uint16_t port() const { return port_; }

 private:
  TemporaryFolder folder_;
  std::uint16_t port_;
  pid_t pid_ = -1;
};

/// A server that says the same to everybody, listens to nobody, and hangs up late.
class Stranger {
 public:
  explicit Stranger(std::string answer);
  ~Stranger();
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;
  std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }

 private:
  std::string answer_;
  std::uint16_t port_;
  int listening_;
  std::jthread thread_;
};

}  // namespace dipaco::testing

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <vector>

namespace dipaco::testing {

/// Ports that a process listens on.
std::vector<std::uint16_t> listening_ports(pid_t process);

/// Who connects to every port that some processes listen on, without the run's secret.
class Strangers {
 public:
  enum class Manner : std::uint8_t {
    garbage,  ///< sends something, and hangs up soon
    silent,   ///< says nothing, or begins a handshake and waits; as many connections a port as the system lets it have
  };
  Strangers(Manner manner, std::uint64_t seed) : manner_(manner), draw_(seed) {}
  ~Strangers();
  Strangers(const Strangers&) = delete;
  Strangers& operator=(const Strangers&) = delete;

  /// Some more connections. Does not block.
  void bother(const std::vector<pid_t>& processes);
  int connections() const { return made_; }

 private:
  struct Open {
    int socket = -1;
    double until = 0;
    bool said = false;
  };
  void tend(std::deque<Open>& open);
  void add(std::uint16_t port);
  std::vector<char> something();

  Manner manner_;
  std::mt19937_64 draw_;
  std::map<std::uint16_t, std::deque<Open>> open_;  ///< by port
  int made_ = 0;
};

}  // namespace dipaco::testing

#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "backends/gloo/meeting/rendezvous.hpp"

namespace dipaco::testing {

inline const Endpoint kHere{"127.0.0.1", 4711};
inline const Endpoint kThere{"::1", 4712};

inline Secret secret_of(std::string text) { return Secret(std::as_bytes(std::span(text))); }

/// Within some seconds, and mostly at once.
inline bool eventually(const std::function<bool()>& holds) {
  for (int k = 0; k < 1000; ++k) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

inline bool finds(Rendezvous& rendezvous, const std::optional<Endpoint>& expected) {
  return eventually([&] { return rendezvous.find() == expected; });
}

/// And nothing else within some periods.
inline bool keeps_finding(Rendezvous& rendezvous, const std::optional<Endpoint>& expected) {
  for (int k = 0; k < 30; ++k) {
    if (rendezvous.find() != expected) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

inline RendezvousOptions options_of(const std::string& run, const Secret* secret, bool publishes = false) {
  return {.run_name = run, .secret = secret, .publishes = publishes, .period = Seconds(0.05)};
}

/// What a rendezvous has noted.
class Notes {
 public:
  std::function<void(const std::string&)> taker() {
    return [this](const std::string& text) {
      const std::lock_guard lock(mutex_);
      all_.push_back(text);
    };
  }
  std::vector<std::string> all() {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> all_;
};

}  // namespace dipaco::testing

#include "backends/gloo/status/status_desk.hpp"

#include <chrono>
#include <condition_variable>
#include <utility>

namespace dipaco {
namespace {

constexpr std::chrono::seconds kBetweenLooks{2};
/// A page that somebody looks at asks every three seconds, and its charts every five.
constexpr std::chrono::seconds kLookedAt{10};

}  // namespace

StatusDesk::StatusDesk(const Endpoint& listen, std::string run_name, std::vector<Role> roles)
    : last_{.run_name = std::move(run_name), .roles = std::move(roles), .preparing = StageStatus{}},
      server_(
          listen, [this] { return status(); }, {}, [this] { return history_.json(); },
          [this] { looked_at_ = std::chrono::steady_clock::now(); }),
      looks_([this](const std::stop_token& stop) { look(stop); }) {}

void StatusDesk::look(const std::stop_token& stop) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any stopped;
  while (!stop.stop_requested()) {
    history_.add(status());
    stopped.wait_for(lock, stop, kBetweenLooks, [] { return false; });
  }
}

bool StatusDesk::is_looked_at() const {
  const auto at = looked_at_.load();
  return at != std::chrono::steady_clock::time_point{} && std::chrono::steady_clock::now() - at < kLookedAt;
}

void StatusDesk::prepares(StageStatus stage) {
  const std::lock_guard lock(mutex_);
  last_.preparing = std::move(stage);
}

void StatusDesk::open(std::function<Status()> run) {
  const std::lock_guard lock(mutex_);
  run_ = std::move(run);
}

void StatusDesk::close() {
  const std::lock_guard lock(mutex_);
  if (run_) last_ = run_();
  run_ = nullptr;
}

Status StatusDesk::status() {
  const std::lock_guard lock(mutex_);
  return run_ ? run_() : last_;
}

}  // namespace dipaco

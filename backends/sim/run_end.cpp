#include "backends/sim/run_end.hpp"

#include <simgrid/simix.hpp>
#include <string>
#include <utility>

#include "backends/sim/engine/clock.hpp"
#include "core/base/text.hpp"

namespace dipaco {

namespace sg = simgrid::s4u;

namespace {

std::string at_now() { return "at " + format_fixed(clock_now().count(), 3) + " s of simulated time "; }

}  // namespace

SimRunEnd::SimRunEnd(const Options& options, Alarms& alarms, std::function<void()> end_all)
    : stop_(options.stop == nullptr ? never_ : *options.stop),
      options_(options),
      alarms_(alarms),
      end_all_(std::move(end_all)) {}

void SimRunEnd::watch_for_stop() {
  sg::Engine::on_time_advance_cb([this](double) {
    if (!stop_ || over_) return;
    stopped_ = true;
    finish();
  });
}

void SimRunEnd::coordinator_is_gone() {
  gone_since_ = clock_now();
  wait_ = alarms_.after(options_.patience, [this] {
    fail(std::make_exception_ptr(coordinator_lost()));
    finish();
  });
}

RunError SimRunEnd::coordinator_lost() const {
  const sg::Host& host = *options_.coordinator;
  return {static_cast<int>(ExitStatus::peers_lost),
          at_now() + "the coordinator is lost: its host \"" + host.get_name() + "\" is " +
              (host.is_on() ? "on, but its node is gone" : "off") + " since " + format_fixed(gone_since_.count(), 3) +
              " s; let it come back (restart instead of kill, where a fault did it)"};
}

void SimRunEnd::fail(std::exception_ptr failure) {
  if (!failure_) failure_ = std::move(failure);
}

void SimRunEnd::finish() {
  simgrid::kernel::actor::simcall_answered([this] {
    if (!std::exchange(over_, true)) end_all_();
  });
}

void SimRunEnd::check(bool coordinator_up) const {
  if (failure_) std::rethrow_exception(failure_);
  if (over_) return;
  if (!coordinator_up) throw coordinator_lost();
  throw RunError(static_cast<int>(ExitStatus::no_progress), at_now() + "every node waits for another");
}

}  // namespace dipaco

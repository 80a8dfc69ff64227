#include "backends/sim/machines.hpp"

#include <algorithm>
#include <cmath>
#include <simgrid/s4u.hpp>
#include <utility>

#include "core/base/random.hpp"

namespace dipaco {

std::vector<UpTime> up_times(const std::vector<AvailabilityStep>& steps, std::int64_t machine) {
  std::vector<UpTime> times;
  bool up = false;
  for (const AvailabilityStep& step : steps) {
    const bool now_up = step.machines > machine;
    if (now_up && !up) times.push_back({step.time, std::nullopt});
    if (!now_up && up) times.back().until = step.time;
    up = now_up;
  }
  return times;
}

UpTime failing_up_time(const HostFailures& host, std::uint64_t seed, std::uint64_t number, Seconds previous_end) {
  const auto exponential = [&](Seconds mean, std::uint64_t draw) {
    return -std::log1p(-draw_uniform(seed, Draw::host_failure, host.number, draw)) * mean;
  };
  const Seconds from = number == 0 ? Seconds(0) : previous_end + exponential(host.mttr, 2 * number - 1);
  return {from, from + exponential(host.mtbf, 2 * number)};
}

Machines::Machines(const Placement& placement, std::uint64_t seed, Alarms& alarms, Notice notice)
    : outages_(placement.outages), alarms_(alarms), notice_(std::move(notice)) {
  for (const SitePreemption& site : placement.preemptions) {
    for (std::size_t i = 0; i < site.hosts.size(); ++i) {
      auto times = up_times(site.steps, static_cast<std::int64_t>(i));
      machines_.push_back({site.hosts[i], site.notice, [times = std::move(times), k = std::size_t{0}]() mutable {
                             return k < times.size() ? std::optional(times[k++]) : std::nullopt;
                           }});
    }
  }
  for (const HostFailures& host : placement.failures) {
    machines_.push_back({host.host, host.notice, [host, seed, k = std::uint64_t{0}, end = Seconds(0)]() mutable {
                           const UpTime up = failing_up_time(host, seed, k++, end);
                           end = *up.until;
                           return std::optional(up);
                         }});
  }
}

void Machines::start() {
  for (const Machine& machine : machines_) {
    const auto first = machine.next();
    if (first && first->from <= Seconds(0)) {
      stay(machine, *first);
      continue;
    }
    hold_off(machine.host);
    if (first) alarms_.at(first->from, [this, &machine, up = *first] { turn_on(machine, up); });
  }
  for (const HostOutage& outage : outages_) {
    if (outage.from <= Seconds(0)) {
      hold_off(outage.host);
    } else {
      alarms_.at(outage.from, [this, &outage] { hold_off(outage.host); });
    }
    if (outage.until) alarms_.at(*outage.until, [this, &outage] { release(outage.host); });
  }
}

void Machines::hold_off(const std::string& host) {
  if (held_off_[host]++ == 0) simgrid::s4u::Host::by_name(host)->turn_off();
}

void Machines::release(const std::string& host) {
  if (--held_off_[host] == 0) simgrid::s4u::Host::by_name(host)->turn_on();
}

void Machines::turn_on(const Machine& machine, const UpTime& up) {
  release(machine.host);
  stay(machine, up);
}

void Machines::stay(const Machine& machine, const UpTime& up) {
  if (!up.until) return;
  if (machine.notice > Seconds(0)) {
    alarms_.at(std::max(up.from, *up.until - machine.notice),
               [this, &machine, gone_at = *up.until] { notice_(machine.host, gone_at); });
  }
  alarms_.at(*up.until, [this, &machine] {
    hold_off(machine.host);
    come_back(machine);
  });
}

void Machines::come_back(const Machine& machine) {
  const auto up = machine.next();
  if (up) alarms_.at(up->from, [this, &machine, next = *up] { turn_on(machine, next); });
}

}  // namespace dipaco

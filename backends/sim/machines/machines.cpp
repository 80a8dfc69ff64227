#include "backends/sim/machines/machines.hpp"

#include <algorithm>
#include <cmath>
#include <simgrid/s4u.hpp>
#include <utility>

#include "core/base/random.hpp"

namespace dipaco {

UpTime failing_up_time(const HostFailures& host, std::uint64_t seed, std::uint64_t number, Seconds previous_end) {
  const DrawnTimes times{.there = {TimeLaw::Kind::exponential, host.mtbf},
                         .away = {TimeLaw::Kind::exponential, host.mttr},
                         .what = Draw::host_failure,
                         .number = host.number};
  return drawn_up_time(times, seed, number, previous_end);
}

Seconds offset_of(const TraceSection& section, Seconds length, std::uint64_t seed) {
  return section.drawn ? draw_uniform(seed, Draw::trace_offset, 0) * length : section.offset;
}

Machines::Machines(const Placement& placement, std::uint64_t seed, Alarms& alarms, Notice notice)
    : outages_(placement.outages), alarms_(alarms), notice_(std::move(notice)) {
  for (const SitePreemption& site : placement.preemptions) add(site, seed);
  for (const HostFailures& host : placement.failures) {
    machines_.push_back(
        {host.host, host.notice, LossCause::failed, [host, seed, k = std::uint64_t{0}, end = Seconds(0)]() mutable {
           const UpTime up = failing_up_time(host, seed, k++, end);
           end = *up.until;
           return std::optional(up);
         }});
  }
  for (const DrawnAbsences& together : placement.absences) add(together, seed);
}

void Machines::add(const SitePreemption& site, std::uint64_t seed) {
  if (site.steps.empty()) return;
  const Seconds length = site.steps.back().time;
  const auto steps = begun_at(site.steps, offset_of(site.section, length, seed), site.section.repeat);
  const auto period = site.section.repeat ? std::optional(length) : std::nullopt;
  const LossCause reclaimed =
      site.notice > Seconds(0) ? LossCause::reclaimed_with_notice : LossCause::reclaimed_without_notice;
  for (std::size_t i = 0; i < site.hosts.size(); ++i) {
    machines_.push_back(
        {site.hosts[i], site.notice, site.withheld ? LossCause::withheld : reclaimed,
         [times = TracedUpTimes(steps, period, static_cast<std::int64_t>(i))]() mutable { return times.next(); }});
  }
}

void Machines::add(const DrawnAbsences& together, std::uint64_t seed) {
  const LossCause reclaimed =
      together.notice > Seconds(0) ? LossCause::reclaimed_with_notice : LossCause::reclaimed_without_notice;
  for (const std::string& host : together.hosts) {
    machines_.push_back({host, together.notice, together.reclaimed ? reclaimed : LossCause::failed,
                         [times = together.times, seed, k = std::uint64_t{0}, end = Seconds(0)]() mutable {
                           const UpTime up = drawn_up_time(times, seed, k++, end);
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

bool Machines::is_on(const std::string& host) const {
  const auto found = held_off_.find(host);
  return found == held_off_.end() || found->second == 0;
}

void Machines::turn_on(const Machine& machine, const UpTime& up) {
  release(machine.host);
  stay(machine, up);
}

void Machines::stay(const Machine& machine, const UpTime& up) {
  if (!up.until) return;
  if (machine.notice > Seconds(0)) {
    alarms_.at(std::max(up.from, *up.until - machine.notice), [this, &machine, gone_at = *up.until] {
      if (is_on(machine.host)) departures_.push_back({machine.host, gone_at, machine.cause});
      notice_(machine.host, gone_at);
    });
  }
  alarms_.at(*up.until, [this, &machine, at = *up.until] {
    if (machine.notice <= Seconds(0) && is_on(machine.host)) departures_.push_back({machine.host, at, machine.cause});
    hold_off(machine.host);
    come_back(machine);
  });
}

void Machines::come_back(const Machine& machine) {
  const auto up = machine.next();
  if (up) alarms_.at(up->from, [this, &machine, next = *up] { turn_on(machine, next); });
}

}  // namespace dipaco

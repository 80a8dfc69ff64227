#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/sim/engine/alarms.hpp"
#include "backends/sim/machines/host_departure.hpp"
#include "backends/sim/scenario/placement.hpp"
#include "backends/sim/timeline/up_times.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// Up time `number` (from 0) of a machine that fails: exponential draws, functions of seed, host and number alone.
/// @param previous_end  of up time number - 1; 0 for the first, which begins at once
UpTime failing_up_time(const HostFailures& host, std::uint64_t seed, std::uint64_t number, Seconds previous_end);

/// The offset of the section where it is drawn, too. @param length  of the trace, as it is scaled
Seconds offset_of(const TraceSection& section, Seconds length, std::uint64_t seed);

/// Turns hosts off and on, by CSVs of available machines, by capacities, by drawn times and by outages, and gives
/// notice before. A host is on while nothing of that holds it off. What a platform's own profiles (state_file) do is
/// SimGrid's affair.
class Machines {
 public:
  /// Called with the host that will go off, and when.
  using Notice = std::function<void(const std::string&, Seconds)>;

  Machines(const Placement& placement, std::uint64_t seed, Alarms& alarms, Notice notice);
  Machines(const Machines&) = delete;
  Machines& operator=(const Machines&) = delete;

  /// Before the simulation: machines that are not there at time 0 go off.
  void start();

  /// Which hosts went off, or will since they were told, when and why, in the order in which that was known. Outages
  /// are not among them.
  const std::vector<HostDeparture>& departures() const { return departures_; }

 private:
  struct Machine {
    std::string host;
    Seconds notice{};
    LossCause cause{};                            ///< of what is lost as it goes
    std::function<std::optional<UpTime>()> next;  ///< the next up time, or nullopt: it never comes back
  };

  void add(const SitePreemption& site, std::uint64_t seed);
  void add(const DrawnAbsences& together, std::uint64_t seed);
  bool is_on(const std::string& host) const;
  void hold_off(const std::string& host);
  void release(const std::string& host);
  void come_back(const Machine& machine);
  void turn_on(const Machine& machine, const UpTime& up);
  void stay(const Machine& machine, const UpTime& up);

  std::vector<Machine> machines_;
  std::vector<HostOutage> outages_;
  std::map<std::string, int> held_off_;  ///< by how many reasons
  std::vector<HostDeparture> departures_;
  Alarms& alarms_;
  Notice notice_;
};

}  // namespace dipaco

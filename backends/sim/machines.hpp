#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/sim/engine/alarms.hpp"
#include "backends/sim/scenario/availability.hpp"
#include "backends/sim/scenario/placement.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// A stretch of time in which a machine is there; for ever where `until` is not given.
struct UpTime {
  Seconds from{};
  std::optional<Seconds> until;
};

/// When machine `machine` (from 0) is there: while more than `machine` are available.
std::vector<UpTime> up_times(const std::vector<AvailabilityStep>& steps, std::int64_t machine);

/// Up time `number` (from 0) of a machine that fails: exponential draws, functions of seed, host and number alone.
/// @param previous_end  of up time number - 1; 0 for the first, which begins at once
UpTime failing_up_time(const HostFailures& host, std::uint64_t seed, std::uint64_t number, Seconds previous_end);

/// Turns hosts off and on, by CSVs of available machines, by mtbf and mttr and by outages, and gives notice before. A
/// host is on while nothing of that holds it off. What a platform's own profiles (state_file) do is SimGrid's affair.
class Machines {
 public:
  /// Called with the host that will go off, and when.
  using Notice = std::function<void(const std::string&, Seconds)>;

  Machines(const Placement& placement, std::uint64_t seed, Alarms& alarms, Notice notice);
  Machines(const Machines&) = delete;
  Machines& operator=(const Machines&) = delete;

  /// Before the simulation: machines that are not there at time 0 go off.
  void start();

 private:
  struct Machine {
    std::string host;
    Seconds notice{};
    std::function<std::optional<UpTime>()> next;  ///< the next up time, or nullopt: it never comes back
  };

  void hold_off(const std::string& host);
  void release(const std::string& host);
  void come_back(const Machine& machine);
  void turn_on(const Machine& machine, const UpTime& up);
  void stay(const Machine& machine, const UpTime& up);

  std::vector<Machine> machines_;
  std::vector<HostOutage> outages_;
  std::map<std::string, int> held_off_;  ///< by how many reasons
  Alarms& alarms_;
  Notice notice_;
};

}  // namespace dipaco

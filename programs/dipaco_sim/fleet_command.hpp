#pragma once

#include "core/base/error.hpp"
#include "programs/shared/command_line.hpp"
#include "programs/shared/stop_signal.hpp"

namespace dipaco {

ProgramInfo fleet_info();

/// `dipaco-sim fleet`: makes a scenario of a short description of sites (docs/fleet.md).
ExitStatus run_fleet(const Arguments& arguments, const StopSignal& stop);

}  // namespace dipaco

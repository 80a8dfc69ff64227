#pragma once

#include <optional>
#include <string>

namespace dipaco {

// What a program's commands ask of the process that they run in.

/// The machine's own name.
std::string machine_name();
/// A variable of the environment; one that is empty counts as not there.
std::optional<std::string> environment(const std::string& name);
/// UTC, "12:34:56", for lines of a log.
std::string time_of_day();

}  // namespace dipaco

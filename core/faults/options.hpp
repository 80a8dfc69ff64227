#pragma once

#include <string>

namespace dipaco {

/// What goes wrong in a run, on purpose. Keys of [faults], one a FaultKind; parse.hpp has the syntax of a value.
struct FaultOptions {
  std::string kill;
  std::string restart;
  std::string freeze;
  std::string delay;
  std::string cut;
  std::string disk_full;
  std::string short_write;
  std::string sync_error;
  std::string poison;
};

}  // namespace dipaco

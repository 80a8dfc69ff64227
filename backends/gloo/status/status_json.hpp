#pragma once

#include <string>

#include "backends/gloo/status/status.hpp"

namespace dipaco {

/// `status` as one JSON object with sorted keys, those of summary.json where they mean the same. All values are flat
/// but `members` and `sites`, arrays of flat objects, and `waiting_for`, `slow_workers` and `in_reserve`, arrays of
/// texts. What is not known here is absent.
std::string status_json(const Status& status);

}  // namespace dipaco

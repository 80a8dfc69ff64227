#pragma once

#include <string>

#include "backends/gloo/status/status.hpp"

namespace dipaco::testing {

/// A run of 4 paths and 5 outer steps at two sites, half way: node 2 is gone, and waited for.
Status made_up_status();

/// What somebody might call a site to break a page or a line of metrics.
std::string bad_name();

}  // namespace dipaco::testing

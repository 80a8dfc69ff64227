#pragma once

#include "backends/gloo/status/page.hpp"
#include "backends/gloo/status/status.hpp"

namespace dipaco {

/// The part of the status page about messages: between which sites, what is on its way, of which kinds.
void add_traffic(Page& page, const Status& status);

}  // namespace dipaco

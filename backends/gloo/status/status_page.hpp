#pragma once

#include <string>

#include "backends/gloo/status/status.hpp"

namespace dipaco {

/// `status` as one HTML page for a person, which needs nothing else and fetches itself anew every few seconds.
std::string status_page(const Status& status);

/// What the page may do: its own style and script by their hashes, and fetching itself. A text that got into the page
/// as markup could do nothing.
std::string status_page_policy();

}  // namespace dipaco

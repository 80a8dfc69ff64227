#pragma once

#include <string>

#include "backends/gloo/status/status.hpp"

namespace dipaco {

inline constexpr auto kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

/// `status` in Prometheus' text format 0.0.4. Each kind of message is there from the start, so that a rate sees the
/// first one; what is not known here is absent.
std::string status_metrics(const Status& status);

}  // namespace dipaco

#pragma once

#include <string>

#include "core/base/bytes.hpp"

namespace dipaco {

/// Starts a router's file: seal and method. What follows is the method's own; finish_sealed ends it.
ByteWriter begin_router(const std::string& method);

}  // namespace dipaco

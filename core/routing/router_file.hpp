#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "core/base/bytes.hpp"

namespace dipaco {

/// Starts a router's file: seal and method. What follows is the method's own; finish_sealed ends it.
ByteWriter begin_router(const std::string& method);

/// Ends a router's file with arrays of numbers.
std::vector<std::byte> finish_router(ByteWriter writer, std::initializer_list<std::span<const float>> arrays);

/// An array that finish_router wrote. @throws DataError also where a number is not finite.
std::vector<float> read_finite(ByteReader& reader);

}  // namespace dipaco

#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "core/base/bytes.hpp"

namespace dipaco {

/// Starts a router's file: seal and method. What follows is the method's own; finish_router ends it, or finish_sealed
/// where it has no arrays.
/// @param method  RoutingMethod::name: read_router finds RoutingMethod::read by it
ByteWriter begin_router(const std::string& method);

/// Ends a router's file with arrays of numbers, for read_finite in the same order, and the checksum.
std::vector<std::byte> finish_router(ByteWriter writer, std::initializer_list<std::span<const float>> arrays);

/// An array that finish_router wrote. @throws DataError also where a number is not finite.
std::vector<float> read_finite(ByteReader& reader);

}  // namespace dipaco

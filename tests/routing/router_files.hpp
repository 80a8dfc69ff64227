#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/base/sealed.hpp"

namespace dipaco::testing {

/// A rightly sealed router's file with this behind the method's name.
inline std::vector<std::byte> router_file(const std::string& method, const std::function<void(ByteWriter&)>& body) {
  ByteWriter writer = begin_sealed({.magic = "DIPACORT", .version = 1, .noun = "router"});
  writer.text(method);
  body(writer);
  return finish_sealed(std::move(writer));
}

inline void write_arrays(ByteWriter& writer, const std::vector<std::vector<float>>& arrays) {
  for (const auto& array : arrays) writer.array(std::span<const float>(array));
}

}  // namespace dipaco::testing

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/base/sealed.hpp"
#include "core/routing/router.hpp"
#include "tests/prepare/fake_trainer.hpp"

namespace dipaco::testing {

/// A rightly sealed router's file with this behind the method's name.
inline std::vector<std::byte> router_file(const std::string& method, const std::function<void(ByteWriter&)>& body) {
  ByteWriter writer = begin_sealed({.magic = "DIPACORT", .version = 2, .noun = "router"});
  writer.text(method);
  body(writer);
  return finish_sealed(std::move(writer));
}

/// Made-up hashes of so many documents.
inline std::vector<std::uint64_t> hashes(std::size_t count) {
  std::vector<std::uint64_t> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = draw_bits(9, Draw::jitter, i);
  return out;
}

/// What reading these bytes as a router's file throws; "no error".
inline std::string error_of(const std::vector<std::byte>& bytes) {
  const FakeTrainer trainer({});
  try {
    static_cast<void>(read_router(bytes, "some/router.bin", trainer));
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

inline void write_arrays(ByteWriter& writer, const std::vector<std::vector<float>>& arrays) {
  for (const auto& array : arrays) writer.array(std::span<const float>(array));
}

}  // namespace dipaco::testing

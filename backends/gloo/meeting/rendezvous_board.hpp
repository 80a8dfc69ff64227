#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

namespace dipaco {

/// A board cannot be read or written now: what failed, and what to do.
class BoardError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One entry in a place that all nodes see. Calls block; one thread at a time. Each @throws BoardError.
class Board {
 public:
  virtual ~Board() = default;
  /// nullopt: there is none, or none by its kind or size.
  virtual std::optional<std::vector<std::byte>> read() = 0;
  virtual void write(std::span<const std::byte> entry) = 0;
  /// There may be none.
  virtual void remove() = 0;
  /// Throws where write() would, and leaves the entry as it is.
  virtual void try_writing() = 0;
};

}  // namespace dipaco

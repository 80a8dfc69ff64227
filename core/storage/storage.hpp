#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dipaco {

/// Keeps named values where they survive this node's restart. Each call returns once its effect is durable. One node,
/// one thread; a call may block. Keys are relative paths of letters, digits, `-`, `_`, `.` and `/`.
/// @throws DataError from every call where the medium fails: full, unreadable.
class Storage {
 public:
  virtual ~Storage() = default;
  /// False, and nothing changes, where `key` is there already.
  virtual bool put_if_absent(const std::string& key, std::span<const std::byte> value) = 0;
  virtual void put(const std::string& key, std::span<const std::byte> value) = 0;
  virtual std::optional<std::vector<std::byte>> get(const std::string& key) const = 0;
  /// Keys that start with `prefix`, sorted.
  virtual std::vector<std::string> list(const std::string& prefix) const = 0;
  /// Nothing happens where `key` is not there.
  virtual void remove(const std::string& key) = 0;
  /// Adds a record to the end of a log; `get` returns the log's bytes.
  virtual void append(const std::string& log, std::span<const std::byte> record) = 0;
};

}  // namespace dipaco

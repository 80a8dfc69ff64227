#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/units.hpp"

namespace dipaco {

/// What is put: its bytes, and what a simulated disk is charged for them, which is more where values are only counted
/// (--learn off) or charged as a larger model's ([charge]).
struct ToStore {
  // NOLINTBEGIN(google-explicit-constructor): bytes that are all there are put as they are
  ToStore(std::span<const std::byte> all) : bytes(all), charged{all.size()} {}
  ToStore(const std::vector<std::byte>& all) : ToStore(std::span(all)) {}
  // NOLINTEND(google-explicit-constructor)
  ToStore(std::span<const std::byte> there, Bytes counted) : bytes(there), charged(counted) {}

  std::span<const std::byte> bytes;
  Bytes charged;
};

/// Checks a key of a storage: letters, digits, `-`, `_`, `.` and `/`, no part between slashes being empty, "." or "..",
/// and not the ending ".part", which a write aside has. @throws std::logic_error where it is none
void check_key(const std::string& key);

/// Keeps named values where they survive this node's restart. Each call returns once its effect is durable (but see
/// remove). One node, one thread; a call may block. Keys are relative paths: check_key. No key is another's folder.
/// @throws DataError from every call where the medium fails: full, unreadable; std::logic_error where a key is none.
class Storage {
 public:
  virtual ~Storage() = default;
  /// Puts the value whole or not at all. False, and nothing changes, where `key` is there already.
  virtual bool put_if_absent(const std::string& key, const ToStore& value) = 0;
  /// Puts the value whole or not at all, in place of the one that is there.
  virtual void put(const std::string& key, const ToStore& value) = 0;
  /// The value, or a log's bytes; nullopt where `key` is not there.
  virtual std::optional<std::vector<std::byte>> get(const std::string& key) const = 0;
  /// Keys that start with `prefix`, sorted.
  virtual std::vector<std::string> list(const std::string& prefix) const = 0;
  /// Nothing happens where `key` is not there. After a power cut the value may be there again, so a caller removes only
  /// what it would not mind to find.
  virtual void remove(const std::string& key) = 0;
  /// Adds a record to the end of a log; `get` returns the log's bytes. A node killed in it leaves any first part of the
  /// record there, which core/checkpoint/journal.hpp tells from whole ones.
  virtual void append(const std::string& log, std::span<const std::byte> record) = 0;
};

}  // namespace dipaco

#pragma once

#include <functional>
#include <map>
#include <simgrid/s4u.hpp>
#include <string>

#include "core/storage/memory_storage.hpp"

namespace dipaco {

/// What a simulated node keeps, through all its incarnations: in memory, at the price of its host's disk. A call
/// returns once the disk has moved the bytes that the value is charged; nodes of one host share the disk. A node that
/// is ended in a write has not written. Lists and removals cost nothing.
class SimStorage : public Storage {
 public:
  /// @param disk  null: reads and writes take no time
  /// @param hold  returns once the node is not frozen
  SimStorage(simgrid::s4u::Disk* disk, std::function<void()> hold) : disk_(disk), hold_(std::move(hold)) {}

  bool put_if_absent(const std::string& key, const ToStore& value) override;
  void put(const std::string& key, const ToStore& value) override;
  std::optional<std::vector<std::byte>> get(const std::string& key) const override;
  std::vector<std::string> list(const std::string& prefix) const override { return kept_.list(prefix); }
  void remove(const std::string& key) override;
  void append(const std::string& log, std::span<const std::byte> record) override;

  /// The same without its price, for whoever looks from outside the simulation.
  const Storage& kept() const { return kept_; }

 private:
  void write(Bytes bytes) const;

  simgrid::s4u::Disk* disk_;
  std::function<void()> hold_;
  MemoryStorage kept_;
  std::map<std::string, Bytes> charged_;  ///< of values that are charged more than their bytes
};

}  // namespace dipaco

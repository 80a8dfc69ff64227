#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/storage/storage.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

// Without rounds a run's parameters follow from what happened in which order. These records say all of it: with them
// and the run file the run can be computed again (core/replay).

/// A task that counts.
struct OrderedTask {
  TaskId id;
  std::int32_t length = 0;  ///< in inner steps
  Base base{};              ///< that it began with
  template <class A>
  void fields(A& a) {
    a(id.path, id.outer_step, length, base);
  }
};

/// A version of a module, that is out.
struct OrderedVersion {
  ModuleId module;
  Version version{};
  std::vector<TaskId> applied{};  ///< whose contributions it has, and the version before had not
  template <class A>
  void fields(A& a) {
    a(module, version, applied);
  }
};

/// The order is part of the format.
using OrderRecord = std::variant<OrderedTask, OrderedVersion>;

/// Keeps the order of a run without rounds in its coordinator's storage. What is noted is durable once flush() has
/// returned; a coordinator that begins anew may note the same again.
class OrderLog {
 public:
  /// @param keeps  false: nothing is kept, as in rounds, where the run file says what happens, and where nothing is
  ///               learned
  OrderLog(Storage& storage, bool keeps);
  void note(const OrderRecord& record);
  void flush();
  /// Puts all of it beside the modules that the run leaves: model/order.
  void leave() const;

 private:
  Storage& storage_;
  bool keeps_;
  std::vector<std::byte> pending_;
  std::uint64_t size_ = 0;  ///< of the log in storage
};

/// What a run's model/order says, each task and contribution once.
struct RunOrder {
  std::map<PathId, std::vector<OrderedTask>> tasks;          ///< by path, in their order
  std::map<ModuleId, std::vector<OrderedVersion>> versions;  ///< by module, in their order
};

/// @throws DataError naming `source` where it is damaged, or lacks a task or a version
RunOrder read_order(std::span<const std::byte> bytes, const std::string& source);

}  // namespace dipaco

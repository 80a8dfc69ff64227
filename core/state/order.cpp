#include "core/state/order.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/error.hpp"
#include "core/checkpoint/journal.hpp"
#include "core/state/path_values.hpp"
#include "core/state/records.hpp"

namespace dipaco {
namespace {

constexpr const char* kOrder = "order";

/// Those that a module has contributions of.
using Known = std::set<std::pair<PathId, OuterStep>>;

void add(RunOrder& order, OrderedTask task, const std::string& source) {
  std::vector<OrderedTask>& tasks = order.tasks[task.id.path];
  const std::int32_t step = number(task.id.outer_step);
  if (step < std::ssize(tasks)) return;  // a coordinator that began anew noted it again
  if (step > std::ssize(tasks)) {
    throw DataError(source + ": outer step " + std::to_string(std::ssize(tasks)) + " of " + text(task.id.path) +
                    " is lacking; put the run's own file back");
  }
  tasks.push_back(std::move(task));
}

/// Where the coordinator never heard of a version, what that had is in a later one.
void add(RunOrder& order, OrderedVersion version, Known& known, const std::string& source) {
  std::erase_if(version.applied, [&](const TaskId& task) { return !known.emplace(task.path, task.outer_step).second; });
  if (version.applied.empty()) return;
  std::vector<OrderedVersion>& versions = order.versions[version.module];
  const std::int32_t before = versions.empty() ? 0 : number(versions.back().version);
  if (number(version.version) != before + 1) {
    throw DataError(
        source + ": version " + std::to_string(before + 1) + " of " + text(version.module) +
        " is lacking: the coordinator never heard of it, and its owner was lost; so nobody knows in which order "
        "contributions came");
  }
  versions.push_back(std::move(version));
}

}  // namespace

OrderLog::OrderLog(Storage& storage, bool keeps) : storage_(storage), keeps_(keeps) {
  if (keeps) size_ = open_journal(storage, kOrder).second;
}

void OrderLog::note(const OrderRecord& record) {
  if (!keeps_) return;
  const auto framed = frame_record(encode_record(record), size_ + pending_.size());
  pending_.insert(pending_.end(), framed.begin(), framed.end());
}

void OrderLog::flush() {
  if (pending_.empty()) return;
  storage_.append(kOrder, pending_);
  size_ += pending_.size();
  pending_.clear();
}

void OrderLog::leave() const {
  if (const auto all = keeps_ ? storage_.get(kOrder) : std::nullopt) storage_.put("model/order", *all);
}

RunOrder read_order(std::span<const std::byte> bytes, const std::string& source) {
  RunOrder order;
  std::map<ModuleId, Known> known;
  for (const auto& record : read_journal(bytes, source).records) {
    OrderRecord decoded = decode_record<OrderRecord>(record, source);
    if (auto* task = std::get_if<OrderedTask>(&decoded)) {
      add(order, std::move(*task), source);
    } else {
      auto& version = std::get<OrderedVersion>(decoded);
      Known& of_module = known[version.module];
      add(order, std::move(version), of_module, source);
    }
  }
  return order;
}

}  // namespace dipaco

#include "core/faults/parse.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

constexpr std::array kRoles{Role::coordinator, Role::worker, Role::executor, Role::store, Role::evaluator};

std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }

/// Where `stage` is seen: a fault at any other stage of the role would never strike.
bool has_stage(Role role, FaultStage stage) {
  const auto is = [role](std::initializer_list<Role> roles) {
    return std::find(roles.begin(), roles.end(), role) != roles.end();
  };
  switch (stage) {
    case FaultStage::any:
    case FaultStage::finishing:
      return true;
    case FaultStage::hello:
      return role != Role::coordinator;
    case FaultStage::assigning:
      return role == Role::coordinator;
    case FaultStage::gathering:
    case FaultStage::computing:
      return role == Role::worker;
    case FaultStage::storing:
      return role != Role::evaluator;
    case FaultStage::sending:
      return is({Role::worker, Role::executor, Role::store});
    case FaultStage::stepping:
      return role == Role::executor;
    case FaultStage::evaluating:
      return is({Role::worker, Role::evaluator});
  }
  return false;
}

/// Reads one fault; its errors name the key, the fault and the piece of it that is wrong.
class Reader {
 public:
  Reader(FaultKind kind, std::string_view text) : text_(text) { fault_.kind = kind; }

  Fault read() {
    const auto at = text_.find('@');
    if (at == std::string_view::npos) fail("has no @; write when it strikes, as worker:3@outer_step=5,sending");
    read_nodes(text_.substr(0, at));
    for (const std::string& condition : split(text_.substr(at + 1), ',')) read_condition(condition);
    check_whole();
    return fault_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw ConfigError("faults." + std::string(name(fault_.kind)) + ": " + in_quotes(text_) + ": " + what);
  }

  void read_nodes(std::string_view nodes) {
    const auto dash = nodes.find('-');
    fault_.target = read_node(trim(nodes.substr(0, dash)));
    if (dash == std::string_view::npos) return;
    if (!row_of(fault_.kind).two_nodes) fail("names two nodes; only a cut has a second one");
    fault_.peer = read_node(trim(nodes.substr(dash + 1)));
    if (*fault_.peer == fault_.target) fail("cuts a node off from itself; name two, or one for everyone");
  }

  FaultTarget read_node(std::string_view node) const {
    const auto colon = node.find(':');
    const auto number = parse_integer(colon == std::string_view::npos ? "" : trim(node.substr(colon + 1)));
    if (!number || *number < 0 || *number > std::numeric_limits<std::int32_t>::max()) {
      fail(in_quotes(node) + " is no node; write ROLE:NUMBER, counted from 0, as worker:3");
    }
    const auto role = trim(node.substr(0, colon));
    std::vector<std::string> known;
    for (const Role one : kRoles) {
      if (role == name(one)) return {one, static_cast<std::int32_t>(*number)};
      known.emplace_back(name(one));
    }
    fail(in_quotes(role) + " is no role" + one_of(role, known));
  }

  static std::string one_of(std::string_view word, const std::vector<std::string>& known) {
    const std::string nearest = did_you_mean(word, known);
    if (!nearest.empty()) return nearest;
    std::string all;
    for (const std::string& each : known) all += (all.empty() ? "; write one of " : ", ") + each;
    return all;
  }

  void read_condition(std::string_view condition) {
    const auto equals = condition.find('=');
    if (equals == std::string_view::npos) return read_stage(condition);
    const auto key = trim(condition.substr(0, equals));
    const auto value = trim(condition.substr(equals + 1));
    if (key == "outer_step") {
      once(fault_.outer_step.has_value(), key);
      fault_.outer_step = OuterStep{read_index(condition, value)};
    } else if (key == "path") {
      once(fault_.path.has_value(), key);
      fault_.path = PathId{read_index(condition, value)};
    } else if (key == "time") {
      once(fault_.time.has_value(), key);
      fault_.time = read_time(condition, value);
    } else if (key == "for") {
      once(fault_.lasting.count() > 0, key);
      fault_.lasting = read_time(condition, value);
      if (fault_.lasting.count() <= 0) fail(in_quotes(condition) + " lasts no time; write one above 0s, as for=20s");
    } else {
      fail(in_quotes(key) + " is no condition" +
           one_of(key, std::vector<std::string>{"outer_step", "path", "time", "for"}));
    }
  }

  void read_stage(std::string_view word) {
    std::vector<std::string> known{"outer_step", "path", "time", "for"};
    for (std::size_t k = 1; k < kFaultStages; ++k) {
      const auto stage = static_cast<FaultStage>(k);
      known.emplace_back(name(stage));
      if (word != name(stage)) continue;
      once(fault_.stage != FaultStage::any, "stage");
      fault_.stage = stage;
      return;
    }
    fail(in_quotes(word) + " is no stage and has no value" + one_of(word, known));
  }

  void once(bool there, std::string_view what) const {
    if (there) fail(in_quotes(what) + " is given twice; remove one of them");
  }

  std::int32_t read_index(std::string_view condition, std::string_view value) const {
    const auto number = parse_integer(value);
    if (!number || *number < 0 || *number > std::numeric_limits<std::int32_t>::max()) {
      fail(in_quotes(condition) + " has no count from 0; write it as outer_step=5 or path=2");
    }
    return static_cast<std::int32_t>(*number);
  }

  Seconds read_time(std::string_view condition, std::string_view value) const {
    const auto time = parse_seconds(value);
    if (!time || time->count() < 0) fail(in_quotes(condition) + " is no time with its unit; write it as 40s or 5min");
    return *time;
  }

  void check_whole() const {
    if (!fault_.time && !fault_.path && !fault_.outer_step && fault_.stage == FaultStage::any) {
      fail("does not say when; add outer_step=5, path=2, time=40s or a stage, such as sending");
    }
    const FaultKindRow& kind = row_of(fault_.kind);
    const bool lasts = fault_.lasting.count() > 0;
    if (!kind.lasts && lasts) {
      fail("a " + std::string(kind.name) + " is for good; remove for=, or write it under restart");
    }
    if (kind.lasts && !lasts) fail("does not say how long; add for=20s");
    const Role role = fault_.target.role;
    if (!has_stage(role, fault_.stage)) {
      fail(std::string("no ") + name(role) + " is ever " + name(fault_.stage) + "; name another stage, or none");
    }
    if (kind.strikes_writes) check_writes(role);
    if (!kind.workers_alone.empty() && role != Role::worker) {
      fail(std::string("no ") + name(role) + " " + std::string(kind.workers_alone) + "; name a worker");
    }
  }

  void check_writes(Role role) const {
    if (role == Role::worker || role == Role::evaluator) {
      fail(std::string("no ") + name(role) + " writes to its storage; name the coordinator, an executor or a store");
    }
    if (fault_.stage == FaultStage::any || fault_.stage == FaultStage::storing ||
        fault_.stage == FaultStage::stepping) {
      return;
    }
    fail(std::string("it strikes a write to storage, and nothing is written while ") + name(fault_.stage) +
         "; its stages are storing and stepping");
  }

  std::string_view text_;
  Fault fault_;
};

}  // namespace

FaultPlan parse_faults(FaultKind kind, std::string_view value) {
  FaultPlan plan;
  for (const std::string& fault : split(value, ';')) plan.push_back(Reader(kind, fault).read());
  return plan;
}

FaultPlan parse_faults(const FaultOptions& options) {
  FaultPlan plan;
  for (const FaultKindRow& row : kFaultKindTable) {
    const FaultPlan part = parse_faults(row.kind, options.*row.value);
    plan.insert(plan.end(), part.begin(), part.end());
  }
  return plan;
}

std::string text(const Fault& fault) {
  std::string all = name(fault.kind);
  all.append("=").append(text(fault.target));
  if (fault.peer) all.append("-").append(text(*fault.peer));
  std::string conditions;
  const auto add = [&](const std::string& condition) {
    conditions.append(conditions.empty() ? "" : ",").append(condition);
  };
  if (fault.outer_step) add("outer_step=" + std::to_string(number(*fault.outer_step)));
  if (fault.path) add("path=" + std::to_string(index(*fault.path)));
  if (fault.time) add("time=" + format_number(fault.time->count()) + "s");
  if (fault.stage != FaultStage::any) add(name(fault.stage));
  if (row_of(fault.kind).lasts) add("for=" + format_number(fault.lasting.count()) + "s");
  return all.append("@").append(conditions);
}

std::string text(const FaultTarget& target) {
  return std::string(name(target.role)) + ":" + std::to_string(target.number);
}

NodeId node_of(const FaultTarget& target, std::span<const NodeFacts> nodes) {
  std::int32_t number = 0;
  for (const NodeFacts& node : nodes) {
    if (node.role == target.role && number++ == target.number) return node.id;
  }
  check(false, "a fault's target is a node of the run: " + text(target));
  return {};
}

void check_targets(const FaultPlan& plan, std::span<const NodeFacts> nodes) {
  const auto check_one = [&](FaultKind kind, const FaultTarget& target) {
    const auto there =
        std::count_if(nodes.begin(), nodes.end(), [&](const auto& node) { return node.role == target.role; });
    if (target.number < there) return;
    const std::string role = name(target.role);
    const std::string known =
        there == 0   ? "no " + role
        : there == 1 ? "one " + role + ", " + role + ":0"
                     : std::to_string(there) + " of them, " + role + ":0 to " + role + ":" + std::to_string(there - 1);
    throw ConfigError("faults." + std::string(name(kind)) + ": " + text(target) + " is not in this run, which has " +
                      known + "; name one of those, or change how many there are");
  };
  for (const Fault& fault : plan) {
    check_one(fault.kind, fault.target);
    if (fault.peer) check_one(fault.kind, *fault.peer);
  }
}

}  // namespace dipaco

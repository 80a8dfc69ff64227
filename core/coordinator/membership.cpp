#include "core/coordinator/membership.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/coordinator/known/measurements.hpp"
#include "core/coordinator/known/restored.hpp"

namespace dipaco {

void Membership::hello(NodeId node, const Hello& hello) {
  const RunPlan& plan = run_.plan;
  if (hello.config_hash != plan.config_hash || hello.prepared_hash != plan.prepared_hash) {
    throw ConfigError("node " + std::to_string(index(node)) + " runs configuration " + hello.config_hash +
                      " on prepared data " + hello.prepared_hash + ", the coordinator " + plan.config_hash + " on " +
                      plan.prepared_hash + "; start all nodes with the same run file and prepared directory");
  }
  run_.awaited.remove(node);
  const KnownNode* const known = run_.members.find(node);
  const bool news = known == nullptr || known->incarnation < hello.incarnation;
  // Its own hello came first. This one was sent before it got anything that it was given since: it is out of date.
  if (hello.asked && !news && !known->late) return;
  if (known != nullptr && news) lost(node);  // back before it was missed
  run_.members.add(node, {hello.role, hello.site, hello.machine, hello.incarnation, hello.speed, hello.arithmetic});
  const auto& noted = run_.ledger.state().members;
  if (!noted.contains(node) || noted.at(node) != hello.role) run_.ledger.note(MemberRecord{node, hello.role});
  if (!arithmetic_) arithmetic_ = hello.arithmetic;
  if (*arithmetic_ != hello.arithmetic) run_.result.mixed_arithmetic = *arithmetic_ + " and " + hello.arithmetic;
  if (news && !run_.awaited.started()) run_.made_progress();
  if (hello.role == Role::worker) welcome_worker(node, hello);
  if (hello.role == Role::executor) {
    note_place(run_, {node, hello.site});
    to_.modules.executor_up(node, hello);
    for (const HeldModule& held : hello.modules) to_.tasks.module_ready(held.module);
  }
  if (hello.role == Role::store) welcome_store(node, hello);
  if (hello.role == Role::evaluator) to_.jobs.evaluator_up(node);
  start_when_ready();
  to_.modules.settle();
  to_.model.ask_again();
}

void Membership::welcome_worker(NodeId node, const Hello& hello) {
  if (to_.refusals.is_set_aside(node)) {
    to_.jobs.leaves(node);
  } else {
    const double speed = known_speed(run_, node, hello);
    note_place(run_, {node, hello.site, speed});
    run_.queue.dispatch().worker_up(node, hello.site, speed, !hello.occupied());
  }
  run_.jobs.take_back(node);  // it has forgotten its job, also one that waited behind a task
  to_.tasks.worker_up(node, hello);
}

void Membership::welcome_store(NodeId node, const Hello& hello) {
  // An answer in any case, for one that had lost this coordinator.
  run_.send(node, Release{run_.retention.released()});
  for (const auto& [phase, sizes] : run_.resharding.sizes()) run_.send(node, run_.resharding.sizes(phase));
  run_.ownership.store_up(node, hello.machine, hello.modules);
  to_.tasks.store_up(node, hello);
  to_.jobs.move(node);
  to_.tasks.replicate_all();
}

void Membership::lost(NodeId node) {
  const auto known = run_.ledger.state().members.find(node);
  if (known == run_.ledger.state().members.end()) return;
  const Role role = known->second;
  run_.members.remove(node, run_.now());
  run_.awaited.remove(node);
  run_.inquiries.forget(node);
  run_.watched.forget(node);
  to_.jobs.lost(node);
  if (role == Role::worker) to_.tasks.worker_lost(node);
  if (role == Role::store) {
    to_.tasks.store_lost(node);
    to_.jobs.move(node);
    to_.tasks.replicate_all();
  }
  if (role == Role::store || role == Role::executor) {
    run_.ownership.gone(node);
    to_.modules.settle();
    to_.model.ask_again();
  }
}

void Membership::call_all() {
  run_.awaited.start();
  expect_busy_workers(run_);
  to_.modules.forget_told();
  for (const auto& [node, role] : run_.ledger.state().members) {
    if (role == Role::store || role == Role::executor) run_.awaited.add(node);
    run_.send(node, WhoIsThere{});
  }
}

void Membership::start_if_late() {
  if (run_.awaited.started() && run_.awaited.empty()) return;
  run_.awaited.give_up(run_.now());
  start_when_ready();
  to_.modules.settle();
}

std::optional<Seconds> Membership::late_at() const {
  const bool some = run_.members.count(Role::executor) > 0 && run_.members.count(Role::store) > 0;
  const bool missing = !run_.awaited.started() && some;
  if ((!missing && run_.awaited.empty()) || run_.now() >= run_.awaited.until()) return std::nullopt;
  return missing && run_.now() < run_.awaited.workers_until() ? run_.awaited.workers_until() : run_.awaited.until();
}

void Membership::start_when_ready() {
  if (run_.awaited.started()) return;
  const std::int32_t executors = run_.members.count(Role::executor);
  const std::int32_t stores = run_.members.count(Role::store);
  const bool kept = executors >= run_.options.executors && stores >= run_.options.stores;
  const bool workers = run_.members.count(Role::worker) >= run_.options.workers;
  const bool all = kept && (workers || run_.now() >= run_.awaited.workers_until());
  const bool some = executors > 0 && stores > 0;
  if (!all && !(some && run_.now() >= run_.awaited.until())) return;
  run_.awaited.start();
  run_.made_progress();
  if (!run_.ledger.begun()) {
    to_.tasks.start();
  } else if (kept) {
    to_.modules.settle();
    check_nothing_missing(run_);
  }
}

}  // namespace dipaco

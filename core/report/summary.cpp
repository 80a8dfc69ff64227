#include "core/report/summary.hpp"

#include <cmath>
#include <cstddef>
#include <optional>

#include "core/base/text.hpp"

namespace dipaco {
namespace {

using Summary = std::map<std::string, Fact>;

constexpr std::size_t kNamed = 20;  // in a list; the CSV files have all

std::int64_t whole(std::uint64_t value) { return static_cast<std::int64_t>(value); }

/// A share that has no whole does not apply.
void put_share(Summary& summary, const char* key, double part, double all) {
  if (all > 0) summary[key] = part / all;
}

void put_time(Summary& summary, const RunFacts& facts, const WorkerTotals& totals) {
  const WorkerTime& time = totals.time;
  summary[facts.simulated ? "simulated_s" : "elapsed_s"] = facts.duration.count();
  summary["worker_up_s"] = time.up.count();
  summary["worker_provisioned_s"] = time.provisioned.count();
  summary["worker_compute_s"] = time.compute.count();
  summary["worker_lost_s"] = time.lost.count();
  summary["worker_evaluate_s"] = time.evaluate.count();
  summary["worker_transfer_s"] = time.transfer.count();
  summary["worker_wait_s"] = time.wait.count();
  summary["worker_commit_wait_s"] = time.commit_wait.count();
  put_share(summary, "commit_wait_share", time.commit_wait.count(), time.up.count());
  put_share(summary, "compute_utilization", (time.compute + time.lost).count(), time.up.count());
  put_share(summary, "goodput", time.compute.count(), time.provisioned.count());
}

/// What came of the inner steps that reached a module.
void put_speed(Summary& summary, const RunFacts& facts, const WorkerTime& time) {
  const auto useful = static_cast<double>(time.inner_steps - time.inner_steps_lost);
  if (facts.step_tokens <= 0) return;
  summary["tokens"] = static_cast<std::int64_t>(std::llround(useful * facts.step_tokens));
  put_share(summary, "tokens_per_s", useful * facts.step_tokens, facts.duration.count());
  put_share(summary, "model_flop_per_s", useful * facts.step_flops, facts.duration.count());
  put_share(summary, "computing_flop_per_s", useful * facts.step_flops, time.compute.count());
}

void put_work(Summary& summary, const RunFacts& facts, const Account& account, const WorkerTotals& totals) {
  const WorkerTime& time = totals.time;
  const auto workers = static_cast<std::int64_t>(account.workers.size());
  summary["run"] = facts.name;
  summary["finished"] = facts.finished;
  summary["paths"] = std::int64_t{facts.paths};
  summary["sites"] = static_cast<std::int64_t>(facts.sites.size());
  summary["workers"] = workers;
  summary["outer_steps"] = facts.outer_steps;
  summary["inner_steps"] = facts.inner_steps;
  summary["tasks_completed"] = time.tasks_committed;
  summary["tasks_requeued"] = time.tasks_requeued;
  summary["tasks_handed_back"] = totals.handed_back;
  summary["inner_steps_computed"] = time.inner_steps;
  summary["inner_steps_lost"] = time.inner_steps_lost;
  summary["workers_lost"] = time.times_lost;
  put_share(summary, "useful_inner_step_share", static_cast<double>(time.inner_steps - time.inner_steps_lost),
            static_cast<double>(time.inner_steps));
  if (std::isfinite(account.train_loss)) summary["train_loss"] = account.train_loss;
}

void put_traffic(Summary& summary, const Traffic& traffic) {
  summary["messages"] = whole(traffic.messages);
  summary["wan_bytes"] = whole(traffic.wan.value);
  summary["lan_bytes"] = whole(traffic.lan.value);
  for (std::size_t kind = 0; kind < kMessageKinds; ++kind) {
    if (traffic.messages_by_kind[kind] == 0) continue;
    const std::string suffix = name(static_cast<MessageKind>(kind));
    summary["bytes_" + suffix] = whole(traffic.by_kind[kind].value);
    summary["messages_" + suffix] = whole(traffic.messages_by_kind[kind]);
  }
}

void put_contributions(Summary& summary, const Account& account) {
  const ContributionTotals contributions = all_contributions(account);
  summary["contributions_applied"] = contributions.applied;
  summary["contributions_dropped"] = contributions.dropped;
  summary["paths_starved"] = static_cast<std::int64_t>(account.starved.size());
  if (!account.starved.empty()) summary["starved"] = starved_in_words(account);
  if (contributions.applied == 0) return;
  summary["staleness_mean"] = contributions.mean_staleness();
  summary["staleness_max"] = contributions.most_stale;
  summary["contribution_wait_s"] = contributions.mean_wait().count();
}

/// By stage; together they are the time until the run's last version was out.
void put_critical_path(Summary& summary, const Waits& waits) {
  if (waits.critical_path.empty()) return;
  for (std::size_t stage = 0; stage < kWaitStages; ++stage) {
    Seconds all{};
    for (const CriticalStretch& stretch : waits.critical_path) {
      if (stretch.stage == static_cast<WaitStage>(stage)) all += stretch.end - stretch.begin;
    }
    summary[std::string("critical_") + name(static_cast<WaitStage>(stage)) + "_s"] = all.count();
  }
}

template <class Amount>
void put_if_there(Summary& summary, const char* key, const std::optional<Amount>& value) {
  if (value) summary[key] = value->value;
}

void put_bill(Summary& summary, const Bill& bill) {
  put_if_there(summary, "usd", bill.usd);
  put_if_there(summary, "machine_usd", bill.machine_usd);
  put_if_there(summary, "egress_usd", bill.egress_usd);
  put_if_there(summary, "energy_usd", bill.energy_usd);
  put_if_there(summary, "kwh", bill.energy);
}

void put_target(Summary& summary, const Account& account) {
  if (!account.target) return;
  summary["target_s"] = account.target->time.count();
  put_if_there(summary, "usd_per_target", account.target->usd);
}

void put_refusals(Summary& summary, const RunFacts& facts, const Account& account) {
  summary["messages_refused"] = account.messages_refused;
  summary["states_refused"] = account.states_refused;
  summary["workers_set_aside"] = static_cast<std::int64_t>(account.set_aside.size());
  if (!account.set_aside.empty()) summary["set_aside"] = names_of(facts, account.set_aside);
  summary["workers_slow"] = static_cast<std::int64_t>(account.slow.size());
  if (!account.slow.empty()) summary["slow"] = names_of(facts, account.slow);
  summary["workers_in_reserve"] = static_cast<std::int64_t>(account.in_reserve.size());
  if (!account.in_reserve.empty()) summary["in_reserve"] = reserve_in_words(facts, account);
}

}  // namespace

WorkerTotals total(const Account& account) {
  WorkerTotals totals;
  WorkerTime& sum = totals.time;
  for (const WorkerTime& worker : account.workers) {
    sum.up += worker.up;
    sum.provisioned += worker.provisioned;
    sum.compute += worker.compute;
    sum.lost += worker.lost;
    sum.evaluate += worker.evaluate;
    sum.transfer += worker.transfer;
    sum.wait += worker.wait;
    sum.commit_wait += worker.commit_wait;
    sum.tasks_committed += worker.tasks_committed;
    sum.tasks_requeued += worker.tasks_requeued;
    sum.inner_steps += worker.inner_steps;
    sum.inner_steps_lost += worker.inner_steps_lost;
    sum.times_lost += worker.times_lost;
    sum.received += worker.received;
    sum.sent += worker.sent;
  }
  for (const Attempt& attempt : account.attempts) {
    totals.handed_back += attempt.end == AttemptEnd::handed_back ? 1 : 0;
  }
  return totals;
}

ContributionTotals all_contributions(const Account& account) {
  ContributionTotals all;
  for (const auto& [outer_step, contributions] : account.contributions) all += contributions;
  return all;
}

std::string names_of(const RunFacts& facts, const std::set<NodeId>& workers) {
  std::string names;
  for (const NodeFacts& node : facts.nodes) {
    if (!workers.contains(node.id)) continue;
    names += (names.empty() ? "" : ", ") + std::to_string(index(node.id)) + " (" + node.host + ")";
  }
  return names;
}

std::string reserve_in_words(const RunFacts& facts, const Account& account) {
  std::string names;
  std::size_t named = 0;
  for (const NodeFacts& node : facts.nodes) {
    const auto held = account.in_reserve.find(node.id);
    if (held == account.in_reserve.end()) continue;
    if (named++ == kNamed) return names + " and " + std::to_string(account.in_reserve.size() - kNamed) + " more";
    names += (names.empty() ? "" : ", ") + std::to_string(index(node.id)) + " (" + node.host + ": " +
             human_seconds(held->second) + " a task)";
  }
  return names;
}

std::string starved_in_words(const Account& account) {
  std::string paths;
  std::size_t named = 0;
  for (const auto& [path, contributions] : account.starved) {
    if (named++ == kNamed) return paths + " and " + std::to_string(account.starved.size() - kNamed) + " more";
    paths += (paths.empty() ? "path " : ", path ") + std::to_string(index(path)) + " (" +
             std::to_string(contributions.dropped) + " of " +
             std::to_string(contributions.dropped + contributions.applied) + " contributions dropped)";
  }
  return paths;
}

std::map<std::string, Fact> summarize(const RunFacts& facts, const Account& account) {
  Summary summary;
  const WorkerTotals totals = total(account);
  put_time(summary, facts, totals);
  put_speed(summary, facts, totals.time);
  put_work(summary, facts, account, totals);
  put_traffic(summary, facts.traffic);
  put_bill(summary, account.bill);
  put_target(summary, account);
  put_refusals(summary, facts, account);
  put_critical_path(summary, account.waits);
  if (!account.contributions.empty()) put_contributions(summary, account);
  for (const auto& [key, fact] : facts.more) summary.insert_or_assign(key, fact);
  return summary;
}

std::map<std::string, Fact> summarize(const RunFacts& facts, const std::vector<Event>& events) {
  return summarize(facts, make_account(facts, events));
}

}  // namespace dipaco

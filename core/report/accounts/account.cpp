#include "core/report/accounts/account.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// Places in RunFacts::nodes and in Account::workers by node.
class Places {
 public:
  explicit Places(const std::vector<NodeFacts>& nodes) {
    std::size_t workers = 0;
    for (std::size_t place = 0; place < nodes.size(); ++place) {
      check(index(nodes[place].id) >= 0, "a node has a number");
      const auto id = static_cast<std::size_t>(index(nodes[place].id));
      if (id >= node_.size()) {
        node_.resize(id + 1, kNone);
        worker_.resize(id + 1, kNone);
      }
      node_[id] = place;
      if (nodes[place].role == Role::worker) worker_[id] = workers++;
    }
  }
  std::size_t node(NodeId id) const {
    const auto at = static_cast<std::size_t>(index(id));
    check(index(id) >= 0 && at < node_.size() && node_[at] != kNone, "an event names a node of the run");
    return node_[at];
  }
  /// kNone for other roles.
  std::size_t worker(NodeId id) const {
    node(id);
    return worker_[static_cast<std::size_t>(index(id))];
  }

 private:
  std::vector<std::size_t> node_;
  std::vector<std::size_t> worker_;
};

/// When each node was up, within [0, end]. A log without any node_up is of a run whose nodes stay.
std::vector<Intervals> up_times(const RunFacts& facts, const std::vector<Event>& events,
                                std::span<const std::uint32_t> order, const Places& places, Seconds end) {
  struct Life {
    std::vector<Interval> times;
    Seconds since = kNever;
    bool seen = false;
  };
  std::vector<Life> lives(facts.nodes.size());
  bool any_up = false;
  for (const std::uint32_t at : order) {
    const Event& event = events[at];
    if (event.kind != EventKind::node_up && event.kind != EventKind::node_down) continue;
    Life& life = lives[places.node(event.node)];
    const Seconds time = std::clamp(event.time, Seconds(0), end);
    if (event.kind == EventKind::node_up) {
      any_up = true;
      if (!happened(life.since)) life.since = time;
    } else {
      if (happened(life.since) || !life.seen) life.times.push_back({life.seen ? life.since : Seconds(0), time});
      life.since = kNever;
    }
    life.seen = true;
  }
  std::vector<Intervals> result;
  for (Life& life : lives) {
    if (happened(life.since)) life.times.push_back({life.since, end});
    if (!life.seen && !any_up) life.times.push_back({Seconds(0), end});
    result.push_back(Intervals::merged(std::move(life.times)));
  }
  return result;
}

/// When the inner steps of an attempt ended that began and did not say: its worker went down, or the coordinator gave
/// the task to another, or the run was over.
Seconds stopped(const Attempt& attempt, const Intervals& up, Seconds end) {
  if (!happened(attempt.started)) return kNever;
  if (happened(attempt.computed)) return attempt.computed;
  for (const Interval& time : up.parts()) {
    if (time.begin <= attempt.started && attempt.started < time.end && time.end < end) return time.end;
  }
  return happened(attempt.ended) ? attempt.ended : end;
}

/// What one worker did when; the sets may overlap.
struct Doings {
  std::vector<Interval> compute;
  std::vector<Interval> lost;
  std::vector<Interval> evaluate;
  std::vector<Interval> transfer;
  std::vector<Interval> commit_wait;
};

/// Until when the worker waited for the stores' word on what the attempt had made.
Seconds acknowledged(const Attempt& attempt, Seconds end) {
  if (attempt.end == AttemptEnd::committed || attempt.end == AttemptEnd::handed_back) return attempt.ended;
  return happened(attempt.stored) ? attempt.stored : end;  // refused as it came in, or its worker was lost
}

/// For how long somebody pays for the worker.
Seconds provisioned(const NodeFacts& node, const Intervals& up, Seconds end) {
  if (node.preemptible || up.parts().empty()) return up.total();
  return (node.left ? up.parts().back().end : end) - up.parts().front().begin;
}

class WorkerBooks {
 public:
  WorkerBooks(const RunFacts& facts, const Places& places, Account& account) : places_(places), account_(account) {
    for (std::size_t place = 0; place < facts.nodes.size(); ++place) {
      if (facts.nodes[place].role != Role::worker) continue;
      WorkerTime worker;
      worker.id = facts.nodes[place].id;
      worker.up_times = account.up_times[place];
      worker.up = worker.up_times.total();
      worker.provisioned = provisioned(facts.nodes[place], worker.up_times, account.end);
      account.workers.push_back(std::move(worker));
    }
    doings_.resize(account.workers.size());
  }

  void add(const Attempt& attempt) {
    const std::size_t place = places_.worker(attempt.worker);
    check(place != kNone, "a task's node is a worker");
    WorkerTime& worker = account_.workers[place];
    worker.tasks_committed += attempt.end == AttemptEnd::committed ? 1 : 0;
    worker.tasks_requeued += is_requeued(attempt.end) ? 1 : 0;
    worker.inner_steps += attempt.inner_steps;
    worker.inner_steps_lost += attempt.inner_steps - attempt.useful_steps;
    if (!happened(attempt.stopped)) return;
    Doings& doings = doings_[place];
    (attempt.useful_steps > 0 ? doings.compute : doings.lost).push_back({attempt.started, attempt.stopped});
    const bool puts = happened(attempt.computed) && attempt.first_inner_step + attempt.inner_steps > 0 &&
                      attempt.end != AttemptEnd::notice_too_short;
    if (puts) doings.commit_wait.push_back({attempt.computed, acknowledged(attempt, up_until(worker, attempt))});
  }

  void add(const Event& event) {
    switch (event.kind) {
      case EventKind::transfer:
        transfer(event);
        break;
      case EventKind::node_down:
        if (const auto place = places_.worker(event.node); place != kNone && event.time < account_.end) {
          ++account_.workers[place].times_lost;
        }
        break;
      default:
        if (begins_job(event.kind)) jobs_begun_.insert_or_assign(event.node, event.time);
        if (ends_job(event.kind)) job_done(event);
    }
  }

  void close() {
    for (std::size_t place = 0; place < doings_.size(); ++place) {
      WorkerTime& worker = account_.workers[place];
      Intervals rest = worker.up_times;
      const auto book = [&](std::vector<Interval>& doing) {
        const Intervals done = Intervals::merged(std::move(doing)).within(rest);
        rest = rest.without(done);
        return done.total();
      };
      worker.compute = book(doings_[place].compute);
      worker.lost = book(doings_[place].lost);
      worker.evaluate = book(doings_[place].evaluate);
      worker.transfer = book(doings_[place].transfer);
      worker.wait = rest.total();
      worker.commit_wait = Intervals::merged(std::move(doings_[place].commit_wait)).within(worker.up_times).total();
    }
  }

 private:
  /// When the worker went down after it had computed the attempt, or the run was over.
  Seconds up_until(const WorkerTime& worker, const Attempt& attempt) const {
    for (const Interval& time : worker.up_times.parts()) {
      if (attempt.computed < time.end) return time.end;
    }
    return account_.end;
  }

  void transfer(const Event& event) {
    const std::size_t to = places_.worker(event.node);
    const std::size_t from = places_.worker(event.peer);
    if (to != kNone) account_.workers[to].received += Bytes{event.bytes};
    if (from != kNone) account_.workers[from].sent += Bytes{event.bytes};
    for (const std::size_t place : {to, from}) {
      if (place != kNone) doings_[place].transfer.push_back({event.begin, event.time});
    }
  }

  void job_done(const Event& event) {
    const std::size_t place = places_.worker(event.node);
    const auto begun = jobs_begun_.find(event.node);
    if (place != kNone && begun != jobs_begun_.end()) doings_[place].evaluate.push_back({begun->second, event.time});
  }

  const Places& places_;
  Account& account_;
  std::vector<Doings> doings_;
  std::map<NodeId, Seconds> jobs_begun_;  ///< the last one of each: a node does one at a time
};

void count_refusals(Account& account, const std::vector<Event>& events) {
  for (const Event& event : events) {
    if (event.kind == EventKind::state_refused) ++account.states_refused;
    if (event.kind == EventKind::message_refused) ++account.messages_refused;
    if (event.kind == EventKind::worker_set_aside) account.set_aside.insert(event.node);
    if (event.kind == EventKind::worker_slow) account.slow.insert(event.node);
    if (event.kind != EventKind::worker_in_reserve) continue;
    Seconds& task = account.in_reserve[event.node];
    task = std::max(task, Seconds(event.value));
  }
}

}  // namespace

Account make_account(const RunFacts& facts, const std::vector<Event>& events) {
  const Places places(facts.nodes);
  const auto order = time_order(events);
  Account account;
  account.end = facts.duration > Seconds(0) || events.empty() ? facts.duration : events[order.back()].time;
  account.up_times = up_times(facts, events, order, places, account.end);
  count_refusals(account, events);
  account.attempts = collect_attempts(events, order, facts.inner_steps, facts.finished);
  credit_steps(account.attempts, facts.inner_steps);
  for (Attempt& attempt : account.attempts) {
    const Intervals& up = account.up_times[places.node(attempt.worker)];
    attempt.stopped = stopped(attempt, up, account.end);
    if (happened(attempt.stopped)) {
      attempt.computing = Intervals::merged({{attempt.started, attempt.stopped}}).within(up).total();
    }
  }
  estimate_lost_steps(account.attempts, facts.inner_steps);
  WorkerBooks books(facts, places, account);
  for (const Attempt& attempt : account.attempts) books.add(attempt);
  for (const std::uint32_t at : order) books.add(events[at]);
  books.close();
  account.contributions = contribution_totals(events);
  account.starved = starved_paths(events);
  account.outer_steps = outer_step_times(facts, account, events);
  account.lengths_differ =
      std::ranges::any_of(account.attempts, [](const Attempt& attempt) { return attempt.length > 0; });
  account.train_loss = last_train_loss(account);
  account.waits = who_waited(facts, account, events);
  const auto busy = busy_times(facts, account, events);
  account.bill = make_bill(facts.costs, facts.traffic, busy, account.end);
  account.target = target_reached(facts, account, events, busy);
  return account;
}

}  // namespace dipaco

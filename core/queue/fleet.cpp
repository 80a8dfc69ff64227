#include "core/queue/fleet.hpp"

#include <algorithm>
#include <cmath>

namespace dipaco {
namespace {

/// Speeds and times that differ by a smaller share count as equal.
constexpr double kSame = 0.05;

}  // namespace

Fleet::Worker* Fleet::find(NodeId node) {
  const auto found = workers_.find(node);
  return found == workers_.end() ? nullptr : &found->second;
}

void Fleet::up(NodeId node, SiteId site, double speed, bool idle) {
  gone(node);
  Worker& worker = workers_[node];
  worker.site = site;
  ++sites_[site];
  set_speed(worker, speed);
  if (!idle) busy(node);
  ++changes_;
}

void Fleet::gone(NodeId node) {
  Worker* const worker = find(node);
  if (worker == nullptr) return;
  set_free(node, *worker);
  set_speed(*worker, 0);
  if (--sites_[worker->site] == 0) sites_.erase(worker->site);
  workers_.erase(node);
  ++changes_;
}

void Fleet::set_speed(Worker& worker, double speed) {
  if (const auto known = speeds_.find(worker.speed); known != speeds_.end() && --known->second == 0) {
    speeds_.erase(known);
  }
  worker.speed = speed;
  if (speed > 0) ++speeds_[speed];
}

void Fleet::set_free(NodeId node, Worker& worker) {
  if (worker.until) ends_.erase({*worker.until, node});
  worker.until.reset();
  worker.busy = false;
  unforeseen_.erase(node);
}

void Fleet::set_until(NodeId node, Worker& worker, Seconds until) {
  worker.busy = true;
  worker.until = until;
  ends_.insert({until, node});
  ++changes_;
}

void Fleet::speed_is(NodeId node, double speed) {
  Worker* const worker = find(node);
  if (worker == nullptr || std::abs(speed - worker->speed) <= kSame * worker->speed) return;
  set_speed(*worker, speed);
  ++changes_;
}

void Fleet::takes_besides(NodeId node, Seconds besides) {
  Worker* const worker = find(node);
  if (worker == nullptr || std::abs((besides - worker->besides).count()) <= kSame * task_of(*worker).count()) return;
  worker->besides = besides;
  ++changes_;
}

void Fleet::idle(NodeId node) {
  Worker* const worker = find(node);
  if (worker == nullptr) return;
  set_free(node, *worker);
  ++changes_;
}

void Fleet::busy(NodeId node) {
  Worker* const worker = find(node);
  if (worker == nullptr) return;
  set_free(node, *worker);
  worker->busy = true;
  unforeseen_.insert(node);
  ++changes_;
}

void Fleet::begins(NodeId node, const PathEntry& path, Seconds now) {
  Worker& worker = workers_.at(node);
  set_free(node, worker);
  worker.outer_step = path.outer_step;
  set_until(node, worker, now + rest_of(worker, path));
}

void Fleet::look(Seconds now) {
  for (const NodeId node : unforeseen_) set_until(node, workers_.at(node), now);
  unforeseen_.clear();
}

bool Fleet::unequal() const {
  return speeds_.size() > 1 && speeds_.begin()->first < (1 - kSame) * speeds_.rbegin()->first;
}

bool Fleet::is_fast(const Worker& worker) const {
  return worker.speed <= 0 || worker.speed >= (1 - kSame) * speeds_.rbegin()->first;
}

Seconds Fleet::task_of(const Worker& worker) const {
  const double fastest = speeds_.empty() ? 0 : speeds_.rbegin()->first;
  const double speed = worker.speed > 0 ? worker.speed : fastest;
  const double cost = cost_.inner_step * static_cast<double>(cost_.inner_steps);
  return speed > 0 ? Seconds(cost / speed) + worker.besides : Seconds(0);
}

Seconds Fleet::rest_of(const Worker& worker, const PathEntry& path) const {
  const double done = static_cast<double>(path.inner_steps) / static_cast<double>(cost_.inner_steps);
  const Seconds task = task_of(worker);
  return task - done * (task - worker.besides);
}

std::optional<Seconds> Fleet::late_at(Seconds now) const {
  if (ends_.empty()) return std::nullopt;
  const auto& [end, node] = *ends_.begin();
  const Seconds late = end + kSame * task_of(workers_.at(node));
  return late > now ? late : now + (now - end);
}

Seconds Fleet::free_at(const Worker& worker, Seconds now) {
  if (!worker.until) return now;
  return *worker.until >= now ? *worker.until : now + (now - *worker.until);
}

}  // namespace dipaco

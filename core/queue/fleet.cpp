#include "core/queue/fleet.hpp"

#include <algorithm>
#include <cmath>

namespace dipaco {
Seconds task_time(const Fleet& fleet, const Fleet::Worker& worker, std::int32_t steps) {
  const double speed = worker.speed > 0 ? worker.speed : fleet.speeds().fastest();
  const double cost = fleet.cost().inner_step * static_cast<double>(steps);
  return speed > 0 ? Seconds(cost / speed) + worker.besides : Seconds(0);
}

void Fleet::up(NodeId node, SiteId site, double speed, bool idle) {
  gone(node);
  workers_.insert(node, {.site = site, .speed = speed});
  sites_.add(site, speed);
  speeds_.add(speed);
  if (!idle) busy(node);
  ++changes_;
}

void Fleet::gone(NodeId node) {
  Worker* const worker = workers_.find(node);
  if (worker == nullptr) return;
  set_free(node, *worker);
  speeds_.remove(worker->speed);
  sites_.remove(worker->site, worker->speed);
  workers_.erase(node);
  ++changes_;
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
  Worker* const worker = workers_.find(node);
  if (worker == nullptr || std::abs(speed - worker->speed) <= Speeds::kSame * worker->speed) return;
  speeds_.remove(worker->speed);
  speeds_.add(speed);
  sites_.remove(worker->site, worker->speed);
  sites_.add(worker->site, speed);
  worker->speed = speed;
  ++changes_;
}

void Fleet::takes_besides(NodeId node, Seconds besides) {
  Worker* const worker = workers_.find(node);
  if (worker == nullptr || std::abs((besides - worker->besides).count()) <= Speeds::kSame * task_of(*worker).count())
    return;
  worker->besides = besides;
  ++changes_;
}

void Fleet::idle(NodeId node) {
  Worker* const worker = workers_.find(node);
  if (worker == nullptr) return;
  set_free(node, *worker);
  ++changes_;
}

void Fleet::busy(NodeId node) {
  Worker* const worker = workers_.find(node);
  if (worker == nullptr) return;
  set_free(node, *worker);
  worker->busy = true;
  unforeseen_.insert(node);
  ++changes_;
}

void Fleet::begins(NodeId node, const PathEntry& path, Seconds now) {
  Worker& worker = workers_.at(node);
  set_free(node, worker);
  worker.outer_step = cost_.lengths.round_of(path);
  set_until(node, worker, now + rest_of(worker, path));
}

void Fleet::look(Seconds now) {
  for (const NodeId node : unforeseen_) set_until(node, workers_.at(node), now);
  unforeseen_.clear();
}

std::int32_t Fleet::steps_of(const Worker& worker, const PathEntry& path) const {
  return path.length > 0 ? path.length : cost_.lengths.next(path, worker.speed, speeds_);
}

Seconds Fleet::task_of(const Worker& worker) const {
  return task_time(*this, worker, cost_.lengths.usual(worker.speed, speeds_));
}

Seconds Fleet::rest_of(const Worker& worker, const PathEntry& path) const {
  const std::int32_t steps = steps_of(worker, path);
  const double done = static_cast<double>(path.inner_steps) / static_cast<double>(steps);
  const Seconds task = task_time(*this, worker, steps);
  return task - done * (task - worker.besides);
}

std::optional<Seconds> Fleet::late_at(Seconds now) const {
  if (ends_.empty()) return std::nullopt;
  const auto& [end, node] = *ends_.begin();
  const Seconds late = end + Speeds::kSame * task_of(workers_.at(node));
  return late > now ? late : now + (now - end);
}

}  // namespace dipaco

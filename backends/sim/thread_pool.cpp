#include "backends/sim/thread_pool.hpp"

#include <chrono>
#include <utility>

namespace dipaco {

ThreadPool::ThreadPool(int threads) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { serve(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    tasks_.clear();
  }
  ready_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::submit(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  ready_.notify_one();
}

void ThreadPool::serve() {
  for (;;) {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [this] { return ended_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const auto task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
  }
}

PooledWork::PooledWork(ThreadPool* pool, const Work& work, InnerSteps steps, const std::atomic<bool>& interrupted)
    : work_(work), steps_(steps), interrupted_(interrupted), pooled_(pool != nullptr) {
  if (!pooled_) return;
  // The task outlives this object where the pool has not begun it: it owns all that it uses.
  const auto task = std::make_shared<std::packaged_task<InnerSteps()>>(
      [work, steps, stop = stop_] { return *stop ? InnerSteps{0} : work(steps, *stop); });
  result_ = task->get_future();
  pool->submit([task] { (*task)(); });
}

PooledWork::~PooledWork() {
  *stop_ = true;
  if (result_.valid()) result_.wait();
}

InnerSteps PooledWork::join() {
  if (!pooled_) return work_(steps_, *stop_);
  while (result_.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    if (interrupted_) *stop_ = true;
  }
  if (interrupted_) throw WorkInterrupted{};
  return result_.get();
}

}  // namespace dipaco

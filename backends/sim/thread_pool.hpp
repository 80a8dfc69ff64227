#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/units.hpp"
#include "core/compute/compute.hpp"

namespace dipaco {

/// Threads that do the real work of simulated nodes, first come first served.
class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  /// Waits for the work at hand; what has not begun is dropped.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  void submit(std::function<void()> task);

 private:
  void serve();

  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::function<void()>> tasks_;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

/// One call of a node's work on the pool. Its destructor stops and joins the work: a killed actor unwinds through it.
class PooledWork {
 public:
  /// @param pool         null: the work is done by join(), on the caller's thread
  /// @param interrupted  ends the work early when it becomes true; join() then throws WorkInterrupted
  PooledWork(ThreadPool* pool, const Work& work, InnerSteps steps, const std::atomic<bool>& interrupted);
  ~PooledWork();
  PooledWork(const PooledWork&) = delete;
  PooledWork& operator=(const PooledWork&) = delete;

  /// Waits for the end of the work. Rethrows what it threw. Returns the steps done.
  InnerSteps join();

 private:
  const Work& work_;
  InnerSteps steps_;
  const std::atomic<bool>& interrupted_;
  bool pooled_;
  std::shared_ptr<std::atomic<bool>> stop_ = std::make_shared<std::atomic<bool>>(false);
  std::future<InnerSteps> result_;
};

/// A signal ended the program's work.
struct WorkInterrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

}  // namespace dipaco

#include "core/state/archive_writer.hpp"

#include <utility>

#include "core/checkpoint/journal.hpp"

namespace dipaco {
namespace {

/// Where more than this waits, the disk is slower than the run, which then waits too.
constexpr std::uint64_t kMostWaiting = 256U << 20U;

}  // namespace

ArchiveWriter::ArchiveWriter(Storage& storage, std::string journal, std::uint64_t size)
    : storage_(storage), journal_(std::move(journal)), size_(size), thread_([this] { serve(); }) {}

ArchiveWriter::~ArchiveWriter() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ArchiveWriter::write(std::vector<std::byte> record) { enqueue({.record = std::move(record)}); }

void ArchiveWriter::write(std::function<void()> files, std::uint64_t bytes) {
  enqueue({.files = std::move(files), .bytes = bytes});
}

void ArchiveWriter::enqueue(Job job) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_ < kMostWaiting || failure_; });
    if (failure_) std::rethrow_exception(failure_);
    waiting_ += job.bytes;
    jobs_.push_back(std::move(job));
  }
  changed_.notify_all();
}

void ArchiveWriter::flush() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return (jobs_.empty() && !busy_) || failure_; });
  if (failure_) std::rethrow_exception(failure_);
}

void ArchiveWriter::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !jobs_.empty() || ended_; });
    if (jobs_.empty() || failure_) return;
    std::deque<Job> jobs = std::exchange(jobs_, {});
    busy_ = true;
    lock.unlock();
    std::exception_ptr failure;
    try {
      do_all(jobs);
    } catch (...) {
      failure = std::current_exception();  // of the disk: for the next call
    }
    std::uint64_t done = 0;
    for (const Job& job : jobs) done += job.bytes;
    jobs.clear();
    lock.lock();
    busy_ = false;
    waiting_ -= done;
    failure_ = failure;
    changed_.notify_all();
  }
}

/// All records first: one sync for all of them, and a file never comes before a record that it follows from.
void ArchiveWriter::do_all(const std::deque<Job>& jobs) {
  std::vector<std::byte> framed;
  for (const Job& job : jobs) {
    if (job.record.empty()) continue;
    const auto one = frame_record(job.record, size_ + framed.size());
    framed.insert(framed.end(), one.begin(), one.end());
  }
  if (!framed.empty()) storage_.append(journal_, framed);
  size_ += framed.size();
  for (const Job& job : jobs) {
    if (job.files) job.files();
  }
}

}  // namespace dipaco

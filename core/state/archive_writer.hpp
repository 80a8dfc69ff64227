#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/storage/storage.hpp"

namespace dipaco {

/// Writes on a thread of its own, in the order of the calls: whenever the process ends, what is there is what some
/// first part of the calls made, but for records, which may be ahead of the files.
class ArchiveWriter {
 public:
  /// @param journal  a journal in `storage`, whole, `size` bytes long; nobody else uses `storage` from now on
  ArchiveWriter(Storage& storage, std::string journal, std::uint64_t size);
  /// Writes what is not written yet.
  ~ArchiveWriter();
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  /// Adds `record` to the journal.
  void write(std::vector<std::byte> record);
  /// Calls `files`, which changes files and holds so many bytes until then. Waits where too much waits already.
  void write(std::function<void()> files, std::uint64_t bytes);
  /// Returns once all is written. @throws what a write threw, as every call behind it does: DataError for one
  void flush();

 private:
  struct Job {
    std::vector<std::byte> record{};
    std::function<void()> files{};
    std::uint64_t bytes = 0;
  };

  void enqueue(Job job);
  void serve();
  void do_all(const std::deque<Job>& jobs);

  Storage& storage_;
  std::string journal_;
  std::uint64_t size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::uint64_t waiting_ = 0;  ///< bytes of jobs that are not done
  std::exception_ptr failure_;
  bool busy_ = false;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace dipaco

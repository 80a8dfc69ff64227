#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace dipaco {

/// The log of a process with several nodes, all of which see the same come and go: what they all say is written once,
/// when the first of them says it. What one of them says again is written again. From any thread.
class SaidOnce {
 public:
  using Note = std::function<void(const std::string&)>;
  /// @param note  null: nobody reads it
  explicit SaidOnce(Note note) : note_(std::move(note)) {}

  /// What one more node says goes there. This must outlive it.
  Note of_next_node() {
    if (!note_) return {};
    const std::lock_guard lock(mutex_);
    return [this, speaker = speakers_++](const std::string& text) {
      if (is_new(speaker, text)) note_(text);
    };
  }

 private:
  bool is_new(std::size_t speaker, const std::string& text) {
    const std::lock_guard lock(mutex_);
    Said& said = said_[text];
    said.by.resize(speakers_);
    const bool first = ++said.by[speaker] > said.written;
    if (first) ++said.written;
    return first;
  }

  struct Said {
    std::vector<std::uint64_t> by;  ///< how often each has said it
    std::uint64_t written = 0;
  };

  Note note_;
  std::mutex mutex_;
  std::size_t speakers_ = 0;
  std::map<std::string, Said> said_;
};

}  // namespace dipaco

#pragma once

#include <cstdint>
#include <map>

namespace dipaco {

/// The least of many numbers that change. Pure logic. A change takes as long however many numbers there are.
class LeastOf {
 public:
  void add(std::int32_t number, std::int64_t times = 1) {
    if (times > 0) counts_[number] += times;
  }
  /// One of the numbers becomes another. REQUIRES that it is there.
  void move(std::int32_t from, std::int32_t to) {
    const auto before = counts_.find(from);
    if (--before->second == 0) counts_.erase(before);
    ++counts_[to];
  }
  /// REQUIRES that there is one.
  std::int32_t least() const { return counts_.begin()->first; }

 private:
  std::map<std::int32_t, std::int64_t> counts_;
};

}  // namespace dipaco

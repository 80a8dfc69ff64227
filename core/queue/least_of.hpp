#pragma once

#include <cstdint>
#include <map>

namespace dipaco {

/// The least of many numbers that change. Pure logic. A change takes as long however many numbers there are.
template <class Number>
class LeastOf {
 public:
  void add(Number number, std::int64_t times = 1) {
    if (times > 0) counts_[number] += times;
  }
  /// One of the numbers becomes another. REQUIRES that it is there.
  void move(Number from, Number to) {
    const auto before = counts_.find(from);
    if (--before->second == 0) counts_.erase(before);
    ++counts_[to];
  }
  /// REQUIRES that there is one.
  Number least() const { return counts_.begin()->first; }

 private:
  std::map<Number, std::int64_t> counts_;
};

}  // namespace dipaco

#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "backends/gloo/links/streams/stall.hpp"
#include "core/base/ids.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// A stream of a link of this node's that has stood still or broken, and went on over another connection.
struct StalledStream {
  NodeId peer{};
  std::uint64_t times = 0;
  Stall last;    ///< of these times
  Seconds at{};  ///< on the run's clock
};

/// All of them, since this process began. From any thread.
class StallBook {
 public:
  void note(NodeId peer, const Stall& stall, Seconds now) {
    const std::lock_guard lock(mutex_);
    StalledStream& stream = streams_[{peer, stall.stream, stall.receives}];
    stream = {.peer = peer, .times = stream.times + 1, .last = stall, .at = now};
  }
  std::vector<StalledStream> all() const {
    const std::lock_guard lock(mutex_);
    std::vector<StalledStream> all;
    for (const auto& [which, stream] : streams_) all.push_back(stream);
    return all;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::tuple<NodeId, std::uint32_t, bool>, StalledStream> streams_;  ///< by peer, stream, whether it receives
};

}  // namespace dipaco

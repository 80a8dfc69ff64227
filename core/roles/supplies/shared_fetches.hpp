#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/transport/arrival_times.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// Module versions that a store fetches for the workers of its site: each one once, whoever needs it. Keeps the newest
/// of each module. A worker hears where its fetch has failed; nothing here asks again.
class SharedFetches {
 public:
  explicit SharedFetches(Transport& transport) : transport_(transport) {}

  /// A worker lacks a version: it is sent, or its owner is asked, unless that was done.
  void ask(NodeId worker, const FetchThroughCache& fetch);
  /// A version came: sends it to all who wait for it.
  void arrived(const ModuleValues& values, const Envelope& with);
  /// What was asked of the node will not come. It waits for nothing any more.
  void lost(NodeId node);
  /// How fast versions have come since this was called last: workers of the site see none of it.
  std::vector<MeasuredWay> take_ways() { return arrivals_.take(); }

 private:
  struct Fetch {
    NodeId owner{-1};                 ///< that was asked; -1: nobody yet
    Epoch epoch = 0;                  ///< at which it owns the module
    std::map<NodeId, Epoch> waiting;  ///< workers, with the owner's epoch that they know
  };

  Transport& transport_;
  std::map<std::pair<ModuleId, Version>, Fetch> under_way_;
  std::map<ModuleId, ModuleValues> newest_;
  ArrivalTimes arrivals_;
};

}  // namespace dipaco

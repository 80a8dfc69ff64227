#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/base/ids.hpp"
#include "core/storage/storage.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

/// A path has scored all router documents: it is the best so far of these, with these nats.
struct ScoredRecord {
  PathId path{};
  std::vector<std::int32_t> documents;
  std::vector<float> nats;
  template <class A>
  void fields(A& a) {
    a(path, documents, nats);
  }
};

/// The router is fitted.
struct RouterRecord {
  std::string router;
  template <class A>
  void fields(A& a) {
    a(router);
  }
};

/// So many documents from `first` on are routed to these paths.
struct RoutedRecord {
  std::int32_t first = 0;
  std::vector<float> paths;
  template <class A>
  void fields(A& a) {
    a(first, paths);
  }
};

/// The order is part of the format (docs/file-formats.md).
using PhaseRecord = std::variant<ScoredRecord, RouterRecord, RoutedRecord>;

/// How far the phase is whose shards are made. All of it is durable once it is taken: a coordinator that comes back
/// goes on where it was, however often it is lost.
class PhaseProgress {
 public:
  /// How many there are of each.
  struct Sizes {
    std::int32_t paths = 0;
    std::size_t router_documents = 0;
    std::int32_t routed_documents = 0;
  };
  PhaseProgress(Storage& storage, const Sizes& sizes) : storage_(storage), sizes_(sizes) {}

  /// Takes up a phase where an earlier incarnation left it, and forgets what is kept of others.
  /// @throws DataError where what is kept is damaged or another run's
  void begin(std::int32_t phase);

  // Each takes an answer; false where it was there, or comes before what it stands on.

  /// @param nats  [router documents]; empty where they are not known, which leaves labels as they are
  bool score(PathId path, std::span<const float> nats);
  bool fit(const std::string& router);
  bool route(std::int32_t first, std::span<const float> paths);

  bool has_score(PathId path) const { return scored_.contains(path); }
  bool all_scored() const { return std::ssize(scored_) == sizes_.paths; }
  /// [router documents] the path with the least nats, the lower one of equals. REQUIRES all_scored()
  const std::vector<float>& labels() const { return labels_; }
  /// "" before it is fitted.
  const std::string& router() const { return router_; }
  /// The first documents of the parts that are still to be routed.
  std::vector<std::int32_t> unrouted() const;
  /// How many documents the part has that begins there.
  std::int32_t count(std::int32_t first) const;
  bool all_routed() const;
  /// [routed documents] the path of each. REQUIRES all_routed()
  std::vector<float> routes() const;

  /// For a person: "3 of 4 paths have scored the router documents".
  std::string state() const;

 private:
  void note(const PhaseRecord& record);
  void apply(const PhaseRecord& record);
  bool fits(const PhaseRecord& record) const;

  Storage& storage_;
  Sizes sizes_;
  std::string key_;         ///< of its journal
  std::uint64_t size_ = 0;  ///< of that; 0: it is not begun
  std::set<PathId> scored_;
  std::vector<float> least_;   ///< [router documents] nats under the best path so far
  std::vector<float> labels_;  ///< [router documents] that path
  std::string router_;
  std::map<std::int32_t, std::vector<float>> routes_;  ///< by first document
};

}  // namespace dipaco

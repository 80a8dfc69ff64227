#pragma once

#include <compare>
#include <cstdint>

namespace dipaco {

// An id is an index from 0 (the paper counts from 1); ids of different things do not mix.

/// A path, and the shard that belongs to it: the paper's i - 1 (§2.3).
enum class PathId : std::int32_t {};
/// One role of one run: a coordinator, worker, executor, store or evaluator. Its number outlives restarts.
enum class NodeId : std::int32_t {};
/// A datacenter: nodes of one site reach each other without a WAN link.
enum class SiteId : std::int32_t {};
/// A document's place in its token file.
enum class DocumentId : std::uint32_t {};

/// A module: expert e of level l (the paper's (l, e)).
struct ModuleId {
  std::int32_t level{};
  std::int32_t expert{};
  friend constexpr auto operator<=>(const ModuleId&, const ModuleId&) = default;
};

/// How often a module has been stepped, also by an update that nothing went into. Under policies in rounds that is the
/// number of outer steps that its paths have done; under others each module counts for itself.
enum class Version : std::int32_t {};

constexpr std::int32_t index(PathId id) { return static_cast<std::int32_t>(id); }
constexpr std::int32_t index(NodeId id) { return static_cast<std::int32_t>(id); }
constexpr std::int32_t index(SiteId id) { return static_cast<std::int32_t>(id); }
constexpr std::uint32_t index(DocumentId id) { return static_cast<std::uint32_t>(id); }

constexpr std::int32_t number(Version version) { return static_cast<std::int32_t>(version); }
constexpr Version next(Version version) { return Version{number(version) + 1}; }

/// The run's coordinator is always node 0.
inline constexpr NodeId kCoordinator{0};

}  // namespace dipaco

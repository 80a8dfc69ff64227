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
/// A path's own clock: the number of its task, from 0. Under policies in rounds it is the round; a path that is not
/// drawn skips numbers.
enum class OuterStep : std::int32_t {};
/// Where there is none.
inline constexpr OuterStep kNoOuterStep{-1};

/// A module: expert e of level l (the paper's (l, e)).
struct ModuleId {
  std::int32_t level{};
  std::int32_t expert{};
  friend constexpr auto operator<=>(const ModuleId&, const ModuleId&) = default;
};

/// How often something was given to somebody new, from 1: an attempt at a task, the ownership of a module. Who is told
/// of one refuses what carries a lower one.
using Epoch = std::int32_t;

/// A version of a module. Its number says how often the module has been stepped, also by an update that nothing went
/// into. Under policies in rounds that is the number of outer steps that its paths have done. Under others each module
/// counts for itself, and an owner that was lost may have made another version of the same number: so the epoch of the
/// owner that made it is part of its name. In rounds all owners make the same, and `owner` is 0.
struct Version {
  std::int32_t number = 0;
  Epoch owner = 0;  ///< 0, too, of the prepared start
  /// Of two with one number the later owner's is the greater.
  friend constexpr auto operator<=>(const Version&, const Version&) = default;
  template <class A>
  void fields(A& a) {
    a(number, owner);
  }
};

constexpr std::int32_t index(PathId id) { return static_cast<std::int32_t>(id); }
constexpr std::int32_t index(NodeId id) { return static_cast<std::int32_t>(id); }
constexpr std::int32_t index(SiteId id) { return static_cast<std::int32_t>(id); }
constexpr std::uint32_t index(DocumentId id) { return static_cast<std::uint32_t>(id); }

constexpr std::int32_t number(Version version) { return version.number; }
/// What this owner makes of the version; in rounds `owner` is 0.
constexpr Version next(Version version, Epoch owner = 0) { return {version.number + 1, owner}; }

constexpr std::int32_t number(OuterStep step) { return static_cast<std::int32_t>(step); }
constexpr OuterStep next(OuterStep step) { return OuterStep{number(step) + 1}; }
/// The version of the path state that the step makes, and in rounds of the modules that it gives to.
constexpr std::int32_t version_after(OuterStep step) { return number(step) + 1; }

/// The run's coordinator is always node 0.
inline constexpr NodeId kCoordinator{0};

}  // namespace dipaco

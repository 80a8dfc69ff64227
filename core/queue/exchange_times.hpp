#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/outer/schedule.hpp"
#include "core/queue/known_lines.hpp"

namespace dipaco {

/// What crosses a line for a module, alone or with others of its site (docs/decisions/0028 and 0029).
struct Crossing {
  Bytes each;      ///< that a task gives, or begins with
  Bytes shared{};  ///< for all tasks of a site together; 0: each crosses by itself
  friend bool operator==(const Crossing&, const Crossing&) = default;
};

/// A shared module, as far as lines between sites are concerned.
struct ExchangedModule {
  double share = 1;  ///< of all paths: those that go through it
  Crossing gradient;
  Crossing version;
  friend bool operator==(const ExchangedModule&, const ExchangedModule&) = default;
};

/// How long outer gradients and versions of modules take between sites in an outer step: by what was measured of the
/// lines, or else by what is known of them beforehand. Without anything known beforehand all of it takes no time, since
/// what was measured of some lines says nothing of the others. Pure logic.
class ExchangeTimes {
 public:
  /// How many tasks of an outer step are done at each site.
  using TasksAt = std::map<SiteId, std::int64_t>;

  void known_are(std::shared_ptr<const KnownLines> known);
  bool knows_lines() const { return lines_ != nullptr; }
  void module_is(ModuleId id, ExchangedModule module);
  /// The module's owner is at this site now; kNowhere: at none.
  void owned_at(ModuleId id, SiteId site);
  /// What a byte takes from site to site, as it was measured.
  void way_takes(SiteId from, SiteId to, double seconds_a_byte);
  std::vector<ModuleId> modules() const;
  /// Another number where anything has changed.
  std::uint64_t changes() const { return changes_; }

  /// What a byte takes from site to site; nullopt: nobody knows.
  std::optional<double> way(SiteId from, SiteId to) const;
  /// Until the owners have what so many tasks of the site give.
  /// @param new_here  and, in outer steps to come, the site has what they begin with
  Seconds after(SiteId site, std::int64_t tasks, bool new_here) const;
  /// Until a worker of the site has the versions that one task begins with, also where lines are not known beforehand:
  /// a way that nobody knows takes no time.
  Seconds versions_to(SiteId site) const { return time(Direction::from_owners, site, 1); }
  /// Until each owner has what so many tasks at each site give, and these sites have what they begin with.
  Seconds at_owners(const TasksAt& tasks) const;

 private:
  enum class Direction { to_owners, from_owners };
  struct Module {
    ExchangedModule is;
    SiteId owner = kNowhere;
  };
  struct After {
    Seconds gradients{};
    Seconds versions{};
  };
  /// Modules that are alike, and have their owners at one site.
  struct Group {
    SiteId owner{};
    ExchangedModule is;
    std::int64_t modules = 0;
  };
  using ByOwners = std::vector<double>;  ///< as owners_ has the sites

  void forget();
  const std::vector<Group>& groups() const;
  const ByOwners& load(Direction direction, std::int64_t tasks) const;
  const ByOwners& ways(Direction direction, SiteId site) const;
  Seconds time(Direction direction, SiteId site, std::int64_t tasks) const;
  Seconds at_owners(Direction direction, const TasksAt& tasks) const;

  std::shared_ptr<const KnownLines> lines_;
  std::map<ModuleId, Module> modules_;
  std::map<std::pair<SiteId, SiteId>, double> measured_;
  std::uint64_t changes_ = 0;
  // What was asked for, until something changes that it depends on.
  mutable std::vector<Group> groups_;
  mutable std::vector<SiteId> owners_;  ///< sites
  mutable std::map<std::pair<Direction, std::int64_t>, ByOwners> loads_;
  mutable std::map<std::pair<SiteId, Direction>, ByOwners> ways_;  ///< what a byte takes; 0: its own, or not known
  mutable std::map<SiteId, std::map<std::int64_t, After>> times_;
};

}  // namespace dipaco

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

/// A shared module, as far as lines between sites are concerned.
struct ExchangedModule {
  double share = 1;  ///< of all paths: those that go through it
  Bytes gradient;    ///< that a task sends its owner
  Bytes version;     ///< that the owner sends
};

/// How long outer gradients and versions of modules take between sites in an outer step, by what was measured of the
/// lines, or else by what is known of them beforehand: nothing where neither is known. Each version comes to a site
/// once, and outer gradients of a module leave it as one sum (docs/decisions/0028 and 0029). Pure logic.
class ExchangeTimes {
 public:
  /// How many tasks of an outer step are done at each site.
  using TasksAt = std::map<SiteId, std::int64_t>;

  void known_are(std::shared_ptr<const KnownLines> known);
  void module_is(ModuleId id, ExchangedModule module);
  /// The module's owner is at this site now; kNowhere: at none.
  void owned_at(ModuleId id, SiteId site);
  /// What a byte takes from site to site, as it was measured.
  void way_takes(SiteId from, SiteId to, double seconds_a_byte);

  /// Another number where anything has changed.
  std::uint64_t changes() const { return changes_; }
  bool knows_lines() const { return lines_ != nullptr; }
  /// What a byte takes from site to site; nullopt: nobody knows.
  std::optional<double> way(SiteId from, SiteId to) const;
  /// Until the owners have what so many tasks of the site give.
  /// @param new_here  and, in outer steps to come, the site has what they begin with
  Seconds after(SiteId site, std::int64_t tasks, bool new_here) const;
  /// Until each owner has what so many tasks at each site give, and these sites have what they begin with.
  Seconds at_owners(const TasksAt& tasks) const;
  std::vector<ModuleId> modules() const;

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

  void forget();
  std::map<SiteId, double> bytes_by_owner(Direction direction, std::int64_t tasks) const;
  Seconds time(Direction direction, SiteId site, std::int64_t tasks) const;
  Seconds at_owners(Direction direction, const TasksAt& tasks) const;

  std::shared_ptr<const KnownLines> lines_;
  std::map<ModuleId, Module> modules_;
  std::map<std::pair<SiteId, SiteId>, double> measured_;
  std::uint64_t changes_ = 0;
  mutable std::map<std::pair<SiteId, std::int64_t>, After> times_;  ///< by tasks; until something changes
};

}  // namespace dipaco

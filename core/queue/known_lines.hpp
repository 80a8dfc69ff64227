#pragma once

#include <map>
#include <optional>
#include <utility>

#include "core/base/ids.hpp"

namespace dipaco {

/// What is known of the lines between sites before a run has sent anything: what a preflight has measured, or what a
/// simulated platform has. All in bytes a second, of large messages; nullopt: not known.
class KnownLines {
 public:
  virtual ~KnownLines() = default;
  /// Of one message, alone on the network.
  virtual std::optional<double> between(SiteId from, SiteId to) const = 0;
  /// Of all messages together, with one to, or from, each other site at once.
  virtual std::optional<double> out_of(SiteId site) const = 0;
  virtual std::optional<double> into(SiteId site) const = 0;
};

/// Lines of sites whose numbers are known.
struct LineTable : KnownLines {
  std::map<std::pair<SiteId, SiteId>, double> pairs;  ///< from, to
  std::map<SiteId, double> out;
  std::map<SiteId, double> in;

  std::optional<double> between(SiteId from, SiteId to) const override { return find(pairs, std::pair(from, to)); }
  std::optional<double> out_of(SiteId site) const override { return find(out, site); }
  std::optional<double> into(SiteId site) const override { return find(in, site); }

 private:
  template <class Key>
  static std::optional<double> find(const std::map<Key, double>& table, const Key& key) {
    const auto found = table.find(key);
    return found == table.end() ? std::nullopt : std::optional(found->second);
  }
};

}  // namespace dipaco

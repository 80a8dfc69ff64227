#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/gloo/links/frame.hpp"
#include "core/preflight/site_lines.hpp"
#include "core/queue/known_lines.hpp"

namespace dipaco {

/// The lines of a preflight, for a run whose sites get their numbers as nodes come. For the coordinator's thread alone.
class MeasuredLines : public KnownLines {
 public:
  /// @param members  all nodes that ever took part
  /// @param note     is told of each site that the preflight had not
  MeasuredLines(SiteLines lines, std::function<std::vector<Member>()> members,
                std::function<void(const std::string&)> note);

  std::optional<double> between(SiteId from, SiteId to) const override;
  std::optional<double> out_of(SiteId site) const override;
  std::optional<double> into(SiteId site) const override;

 private:
  bool measured(const std::string& site) const;
  /// "" where none of its nodes has come.
  const std::string& name_of(SiteId site) const;

  SiteLines lines_;
  std::function<std::vector<Member>()> members_;
  std::function<void(const std::string&)> note_;
  mutable std::map<SiteId, std::string> names_;
};

}  // namespace dipaco

#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/units.hpp"

namespace dipaco {

/// A site, and what its line carries, each way.
struct ShapedLine {
  std::string site;
  BytesPerSecond rate{};
};

/// Sites on this machine: a network namespace each, whose line to a hub is limited both ways (a token bucket of 16 KB,
/// a queue of 50 ms, packets of 1,500 bytes, CUBIC). They go with this object. Needs root, and ip and tc of iproute2.
class ShapedSites {
 public:
  /// @param folder  takes what ip and tc say
  /// @throws ConfigError where this process may not make them, or a tool is missing or fails
  ShapedSites(const std::vector<ShapedLine>& lines, const std::filesystem::path& folder);
  ~ShapedSites();
  ShapedSites(const ShapedSites&) = delete;
  ShapedSites& operator=(const ShapedSites&) = delete;

  /// What stands before a program's words for it to run at a site.
  std::vector<std::string> within(const std::string& site) const;
  /// Of the first site.
  static std::string first_address();
  /// The network device that a site's line is.
  static std::string device();
  /// From now on nothing gets to the site or from it.
  void cut(const std::string& site);

 private:
  std::string space(const std::string& site) const;
  void tool(const std::vector<std::string>& words) const;
  void shape(const std::string& space, const std::string& device, BytesPerSecond rate) const;
  void add(const ShapedLine& line, std::size_t number);
  void remove_all() noexcept;

  std::filesystem::path folder_;
  std::vector<std::string> spaces_;  ///< that there are, the hub first
};

/// @throws ConfigError where this process may not make network namespaces, or ip or tc is not there
void check_can_shape();

}  // namespace dipaco

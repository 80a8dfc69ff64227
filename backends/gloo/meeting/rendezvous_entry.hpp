#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/gloo/links/sealing/secret.hpp"
#include "backends/gloo/meeting/endpoint.hpp"
#include "core/base/sealed.hpp"

namespace dipaco {

/// No entry is larger; what is, is not read.
inline constexpr std::size_t kLargestEntry = 4096;
inline constexpr std::size_t kLongestHost = 255;
/// Of an entry, or of what is in its box.
inline constexpr Seal kEntrySeal{.magic = "DIPACORV", .version = 1, .noun = "coordinator's place"};

/// How the coordinator's place is written down where strangers may read and write. With a secret neither the run's name
/// nor the place can be read, and what strangers wrote does not open; without one there is a checksum against damage.
class EntryFormat {
 public:
  /// @param secret  of the run, not kept; null: it has none
  EntryFormat(const std::string& run_name, const Secret* secret);

  /// Of the run's entry: "dipaco-" and 64 hexadecimal digits.
  const std::string& name() const { return name_; }
  /// @param endpoint  with a host of 1 to kLongestHost bytes and a port
  std::vector<std::byte> seal(const Endpoint& endpoint) const;
  /// nullopt where these bytes are no entry of this run.
  std::optional<Endpoint> open(std::span<const std::byte> bytes) const;

 private:
  std::optional<Key> key_;
  std::string name_;
};

}  // namespace dipaco

#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/units.hpp"

namespace dipaco {

struct NamedParts;
struct RunConfig;

/// Where a key's value lies; its type is the key's kind: an integer, a number, on or off, a text or a time.
using Slot = std::variant<std::int64_t*, std::uint64_t*, double*, bool*, std::string*, Seconds*>;

/// What a key's value may be. A value outside it is a ConfigError when the run file is read.
struct Allowed {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool above_low = false;      ///< `low` itself is not allowed
  bool below_high = false;     ///< `high` itself is not allowed
  bool automatic = false;      ///< of an integer: the word auto stands for 0, which a program replaces
  std::string_view choices{};  ///< of a text: "fp32|bf16"; empty: any text
  std::vector<std::string> (*names)(const NamedParts&) = nullptr;  ///< of a text that names one of these
  bool file = false;  ///< a text that names files, relative to the run file
};

/// Whether a key may change what is learned.
enum class Changes : bool { nothing, parameters };

/// One key of the run file. Reading, --dump-config, the hash of the configuration and docs/run-file.md come from these.
/// Names and help must outlive all configurations: they are literals.
struct RunKey {
  std::string_view section;
  std::string_view name;
  Slot (*slot)(RunConfig&);
  Allowed allowed;
  Changes changes = Changes::nothing;
  std::string_view help{};  ///< one line for docs/run-file.md
};

/// The values of keys that a program brings (NamedParts::keys), by "section.key".
class OwnValues {
 public:
  /// Where the value lies: `start` until a run file sets it. For RunKey::slot. The reference stays valid as long as the
  /// object. @throws std::bad_variant_access where the key was first asked for with another T
  template <class T>
  T& slot(const std::string& name, T start) {
    return std::get<T>(values_.try_emplace(name, std::move(start)).first->second);
  }
  /// The value, or `start`, where no run file has set it. @throws std::bad_variant_access as slot()
  template <class T>
  T get(const std::string& name, T start) const {
    const auto found = values_.find(name);
    return found == values_.end() ? start : std::get<T>(found->second);
  }

 private:
  std::map<std::string, std::variant<std::int64_t, std::uint64_t, double, bool, std::string, Seconds>> values_;
};

}  // namespace dipaco

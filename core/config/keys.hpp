#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/units.hpp"
#include "core/config/run_config.hpp"

namespace dipaco {

/// Where a key's value lies; its type is the key's kind.
using Slot = std::variant<std::int64_t*, std::uint64_t*, double*, bool*, std::string*, Seconds*>;

/// What a key's value may be.
struct Allowed {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool above_low = false;      ///< `low` itself is not allowed
  bool below_high = false;     ///< `high` itself is not allowed
  bool automatic = false;      ///< the word auto stands for 0, which a program replaces
  std::string_view choices{};  ///< of a text: "fp32|bf16"; empty: any text
  bool file = false;           ///< a text that names files, relative to the run file
};

/// Whether a key may change what is learned.
enum class Changes : bool { nothing, parameters };

/// One key of the run file. Reading, --dump-config, the hash of the configuration and docs/run-file.md come from these.
struct Key {
  std::string_view section;
  std::string_view name;
  Slot (*slot)(RunConfig&);
  Allowed allowed;
  Changes changes = Changes::nothing;
  std::string_view help{};  ///< one line for docs/run-file.md
};

/// Every key, section by section in the order of the run file. [charge] is not among them: it has the keys of [model]
/// and [inner].
std::span<const Key> run_keys();

/// The sections that a run file may have, [charge] among them.
std::vector<std::string> section_names();
/// The keys of a section; of [charge] those of [model] and [inner].
std::vector<const Key*> keys_of(std::string_view section);

/// Puts `text` into the key's slot. Returns what is wrong with it and how to write it ("is no integer; write ..."), or
/// nullopt where it fits; the configuration is left alone if it does not.
std::optional<std::string> set_value(const Key& key, RunConfig& config, std::string_view text);
/// The key's value as a run file has it.
std::string value_text(const Key& key, const RunConfig& config);
/// "an integer of at least 1", "fp32 or bf16", ...: what docs/run-file.md and errors say.
std::string allowed_text(const Key& key);

/// The configuration whose [model] and [inner] are those of [charge], or `config` where that is absent.
RunConfig charged_view(const RunConfig& config);

}  // namespace dipaco

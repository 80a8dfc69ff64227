#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/key.hpp"
#include "core/config/run_config.hpp"

namespace dipaco {

/// Every key of this project, section by section in the order of the run file. [charge] is not among them: it has
/// those keys of [model] and [inner] that change operations or bytes.
std::span<const RunKey> run_keys();
/// Those, and the program's own.
std::vector<const RunKey*> all_keys(const NamedParts& parts = *built_in_parts());

/// The sections that a run file may have, [charge] among them.
std::vector<std::string> section_names(const NamedParts& parts = *built_in_parts());
/// The keys of a section; of [charge] those of [model] and [inner] that change operations or bytes.
std::vector<const RunKey*> keys_of(std::string_view section, const NamedParts& parts = *built_in_parts());

/// Puts `text` into the key's slot. Returns what is wrong with it and how to write it ("is no integer; write ..."), or
/// nullopt where it fits; the configuration is left alone if it does not. Names of parts are those of config.parts.
std::optional<std::string> set_value(const RunKey& key, RunConfig& config, std::string_view text);
/// The key's value as a run file has it.
std::string value_text(const RunKey& key, const RunConfig& config);
/// "an integer of at least 1", "fp32 or bf16", ...: what docs/run-file.md and errors say.
std::string allowed_text(const RunKey& key, const NamedParts& parts = *built_in_parts());
/// The texts that the key allows; empty where it allows others.
std::vector<std::string> choices_of(const RunKey& key, const NamedParts& parts = *built_in_parts());

/// The configuration whose [model] and [inner] are those of [charge], or `config` where that is absent.
RunConfig charged_view(const RunConfig& config);

}  // namespace dipaco

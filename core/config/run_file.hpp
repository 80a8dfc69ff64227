#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/run_config.hpp"

namespace dipaco {

/// Reads a run file: `[section]`s with one `key=value` a line; a line that starts with # or ; is a comment. Keys that
/// it leaves out keep the defaults of RunConfig; [charge] starts from the values of [model] and [inner].
/// @param set    "section.key=value" each, stronger than the file; of two for one key the later counts
/// @param parts  what names in it may stand for: this project's parts, and those that the program brings; copied
/// @throws ConfigError "FILE:LINE: what; how to write it" (or "--set a.b=c: ..."): no such file, unknown section or key
///         (with the nearest known one), a key twice, two pairs on a line, # inside a value, a value of another kind,
///         out of range or without unit, values that do not fit one another, a topology that does not fit the model;
///         DataError where the file, or the topology's table, cannot be read;
///         std::logic_error where two parts of a kind have one name, or an own key is in a section of this project's
RunConfig read_run_file(const std::filesystem::path& file, std::span<const std::string> set = {},
                        const NamedParts& parts = *built_in_parts());

/// The same for text that came from elsewhere; `name` stands for the file in errors and in RunConfig::name and folder.
/// No run file is opened; otherwise throws as read_run_file does.
RunConfig parse_run_text(std::string_view text, const std::filesystem::path& name,
                         std::span<const std::string> set = {}, const NamedParts& parts = *built_in_parts());

/// The text of a run file with every key, which gives the same run wherever it is put: names of files are absolute.
/// @throws ConfigError where a file's name has what a run file cannot hold: a comma, # or line break
std::string dump_config(const RunConfig& config);

/// Hash (32 hexadecimal digits) over exactly the keys that may change parameters, so only they are fixed when a run is
/// resumed. What files hold is not in it (the prepared directory's hash has it), but for the rows of a topology's
/// table.
/// @throws DataError where that table cannot be read
std::string config_hash(const RunConfig& config);

/// "section.key" of every key whose values differ, in the order of the run file, for messages. Then "charge" where one
/// alone has that section, or "charge.key" where both have it. The keys are those of `a.parts`.
std::vector<std::string> differing_keys(const RunConfig& a, const RunConfig& b);

/// What keeps a run from going on with another configuration: "inner.batch: 16 then, 32 now" for each key that differs
/// and may change parameters, in the order of the run file. Empty exactly where the two have the same config_hash.
/// @throws DataError where a topology's table cannot be read
std::vector<std::string> config_differences(const RunConfig& then, const RunConfig& now);

}  // namespace dipaco

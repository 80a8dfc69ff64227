#include "core/config/run_file.hpp"

#include <algorithm>
#include <memory>
#include <system_error>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/config/fit.hpp"
#include "core/config/keys.hpp"
#include "core/config/settings.hpp"
#include "core/config/step_fit.hpp"

namespace dipaco {
namespace {

void apply(const Setting& setting, RunConfig& config) {
  const auto problem = set_value(*setting.key, config, setting.value);
  if (!problem) return;
  throw ConfigError(setting.place + ": " + std::string(setting.key->name) + "=" + setting.value + " in [" +
                    setting.section + "] " + *problem);
}

/// @throws std::logic_error: what the program brings is wrong, whatever the run file
void check_parts(const NamedParts& parts) {
  check_names(parts);
  for (const RunKey& own : parts.keys) {
    const auto same = [&](const RunKey& key) { return key.section == own.section; };
    check(own.section != "charge" && std::ranges::none_of(run_keys(), same), "an own key has an own section");
  }
}

/// [charge] starts from what is learned, so it comes last.
void apply_all(const std::vector<Setting>& settings, RunConfig& config) {
  for (const Setting& setting : settings) {
    if (setting.section != "charge") apply(setting, config);
  }
  RunConfig charged = config;
  for (const Setting& setting : settings) {
    if (setting.section != "charge") continue;
    apply(setting, charged);
    config.charge = ChargeOptions{charged.model, charged.inner};
  }
}

}  // namespace

RunConfig read_run_file(const std::filesystem::path& file, std::span<const std::string> set, const NamedParts& parts) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    throw ConfigError(file.string() + ": no such run file; give one that exists, such as scenarios/runs/tiny.cfg");
  }
  if (std::filesystem::is_directory(file, error)) {
    throw DataError(file.string() + ": a folder is no run file; name the file in it, such as scenarios/runs/tiny.cfg");
  }
  return parse_run_text(read_text(file), file, set, parts);
}

RunConfig parse_run_text(std::string_view text, const std::filesystem::path& name, std::span<const std::string> set,
                         const NamedParts& parts) {
  check_parts(parts);
  RunConfig config;
  config.parts = std::make_shared<const NamedParts>(parts);
  std::vector<Setting> settings = read_settings(text, name.string(), *config.parts);
  for (const std::string& assignment : set) override_setting(settings, assignment, *config.parts);
  config.name = name.stem().string();
  config.folder = name.parent_path();
  apply_all(settings, config);
  check_fit(config, name.string(), settings);
  fit_steps(config, name.string(), settings);
  return config;
}

}  // namespace dipaco

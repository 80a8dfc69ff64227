#include "core/model/topology.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

constexpr std::int64_t kMostPaths = 65536;
constexpr std::int64_t kMostBlocks = 65536;
constexpr std::int64_t kMostCells = std::int64_t{1} << 20U;  // of a table [P, L]

std::string module_text(std::int32_t level, std::int32_t expert) {
  return "level " + std::to_string(level) + ", expert " + std::to_string(expert);
}

/// A filled table before its levels know their parts.
struct Shape {
  std::vector<std::int32_t> experts;  ///< K_l
  std::vector<std::int32_t> table;    ///< [P, L]
};

std::int32_t parse_count(std::string_view text, const std::string& whole) {
  const auto count = parse_integer(text);
  if (!count || *count < 1 || *count > kMostPaths) {
    throw ConfigError("[topology] levels=" + whole + ": \"" + std::string(text) + "\" is no count from 1 to " +
                      std::to_string(kMostPaths) + "; write 2x4, flat:8, shared:8 or the name of a table file");
  }
  return static_cast<std::int32_t>(*count);
}

/// All combinations of one expert of each level; the last level's expert changes fastest.
Shape product(const std::vector<std::int32_t>& experts, const std::string& whole) {
  std::int64_t paths = 1;
  for (const std::int32_t k : experts) {
    paths *= k;
    if (paths > kMostPaths) {
      throw ConfigError("[topology] levels=" + whole + " has more than " + std::to_string(kMostPaths) + " paths");
    }
  }
  if (paths * static_cast<std::int64_t>(experts.size()) > kMostCells) {
    throw ConfigError("[topology] levels=" + whole + " has too many levels for " + std::to_string(paths) + " paths");
  }
  Shape shape{experts, {}};
  for (std::int64_t path = 0; path < paths; ++path) {
    std::int64_t stride = paths;
    for (const std::int32_t k : experts) {
      stride /= k;
      shape.table.push_back(static_cast<std::int32_t>(path / stride % k));
    }
  }
  return shape;
}

Shape read_table(const std::filesystem::path& file) {
  Shape shape;
  std::istringstream lines(read_text(file));
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const auto text = trim(line);
    if (text.empty() || text.front() == '#') continue;
    std::istringstream words{std::string(text)};
    std::vector<std::int32_t> row;
    for (std::string word; words >> word;) {
      const auto expert = parse_integer(word);
      if (!expert || *expert < 0 || *expert >= kMostPaths) {
        throw ConfigError(file.string() + ":" + std::to_string(number) + ": \"" + word +
                          "\" is no expert; write one number from 0 for each level");
      }
      row.push_back(static_cast<std::int32_t>(*expert));
    }
    if (shape.experts.empty()) shape.experts.assign(row.size(), 0);
    if (row.size() != shape.experts.size()) {
      throw ConfigError(file.string() + ":" + std::to_string(number) + ": " + std::to_string(row.size()) +
                        " experts where the first path has " + std::to_string(shape.experts.size()) +
                        "; give every path one expert a level");
    }
    for (std::size_t l = 0; l < row.size(); ++l) shape.experts[l] = std::max(shape.experts[l], row[l] + 1);
    shape.table.insert(shape.table.end(), row.begin(), row.end());
  }
  if (shape.table.empty()) throw ConfigError(file.string() + ": the table has no path; write one line for each");
  return shape;
}

/// AxB and so on.
bool is_grid(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789x") == std::string::npos;
}

std::vector<std::int32_t> parse_grid(const std::string& text) {
  std::vector<std::int32_t> experts;
  for (const std::string& part : split(text, 'x')) experts.push_back(parse_count(part, text));
  return experts;
}

Shape parse_shape(const std::string& text, const std::filesystem::path& folder) {
  if (text.starts_with("flat:")) return product({parse_count(text.substr(5), text)}, text);
  if (text.starts_with("shared:")) {
    const auto paths = parse_count(text.substr(7), text);
    return {{1}, std::vector<std::int32_t>(static_cast<std::size_t>(paths), 0)};
  }
  if (is_grid(text)) return product(parse_grid(text), text);
  const auto file = folder / text;
  std::error_code error;  // a name that is too long, for one, is no file either
  if (!std::filesystem::is_regular_file(file, error)) {
    throw ConfigError("[topology] levels=" + text + ": neither AxB, flat:P or shared:P, nor a file (" + file.string() +
                      ")");
  }
  return read_table(file);
}

/// Which parts a path has for itself.
struct Specific {
  std::vector<std::int64_t> blocks;
  bool embedding = false;
};

Specific parse_specific(const std::string& text, std::int64_t blocks) {
  Specific specific;
  for (const std::string& part : split(text, ';')) {
    if (part == "embedding") {
      specific.embedding = true;
      continue;
    }
    if (!part.starts_with("blocks:")) {
      throw ConfigError("[topology] path_specific: \"" + part + "\" is unknown; write blocks:0,5;embedding");
    }
    for (const std::string& number : split(std::string_view(part).substr(7), ',')) {
      const auto block = parse_integer(number);
      if (!block || *block < 0 || *block >= blocks) {
        throw ConfigError("[topology] path_specific: \"" + number + "\" is no block; the model has blocks 0 to " +
                          std::to_string(blocks - 1));
      }
      specific.blocks.push_back(*block);
    }
  }
  std::sort(specific.blocks.begin(), specific.blocks.end());
  specific.blocks.erase(std::unique(specific.blocks.begin(), specific.blocks.end()), specific.blocks.end());
  return specific;
}

/// Consecutive blocks for each level, a remainder to the first levels; path-specific ones left out.
std::vector<Level> shared_levels(const Shape& shape, const Specific& specific, std::int64_t blocks) {
  const auto count = static_cast<std::int64_t>(shape.experts.size());
  if (count > blocks) {
    throw ConfigError("[topology] has " + std::to_string(count) + " levels and [model] " + std::to_string(blocks) +
                      " blocks; a level needs a block at least");
  }
  std::vector<Level> levels(static_cast<std::size_t>(count));
  std::int64_t block = 0;
  for (std::int64_t l = 0; l < count; ++l) {
    Level& level = levels[static_cast<std::size_t>(l)];
    level.experts = shape.experts[static_cast<std::size_t>(l)];
    const std::int64_t end = block + blocks / count + (l < blocks % count ? 1 : 0);
    for (; block < end; ++block) {
      if (!std::binary_search(specific.blocks.begin(), specific.blocks.end(), block)) level.blocks.push_back(block);
    }
  }
  levels.back().embedding = !specific.embedding;
  levels.back().final_norm = true;
  return levels;
}

}  // namespace

Topology::Topology(std::vector<Level> levels, std::vector<std::int32_t> table, std::int32_t regions)
    : levels_(std::move(levels)), table_(std::move(table)), regions_(regions) {
  check(!levels_.empty() && table_.size() % levels_.size() == 0 && !table_.empty(), "a table is [P, L] with P, L > 0");
  check(regions > 0 && regions <= paths(), "each region has a path");
  for (std::int32_t l = 0; l < this->levels(); ++l) {
    if (level(l).experts <= paths()) continue;  // before there is a list for each of them
    throw ConfigError("topology: level " + std::to_string(l) + " has " + std::to_string(level(l).experts) +
                      " experts and there are " + std::to_string(paths()) +
                      " paths: no path goes through some; number the experts of a level from 0 without gaps");
  }
  number_modules();
  for (const ModuleId& unused : modules_) {
    if (!paths_through(unused).empty()) continue;
    throw ConfigError("topology: no path goes through " + module_text(unused.level, unused.expert) +
                      "; number the experts of a level from 0 without gaps");
  }
  if (regions > 1) split_by_region();
}

/// By levels and table, without regional parts.
void Topology::number_modules() {
  modules_.clear();
  first_module_.clear();
  for (std::int32_t l = 0; l < levels(); ++l) {
    first_module_.push_back(modules_.size());
    for (std::int32_t e = 0; e < level(l).experts; ++e) modules_.push_back({l, e});
  }
  paths_through_.assign(modules_.size(), {});
  whole_ = modules_;
  regional_parts_.assign(modules_.size(), {});
  for (std::int32_t p = 0; p < paths(); ++p) {
    for (std::int32_t l = 0; l < levels(); ++l) {
      const ModuleId used = module(PathId{p}, l);
      if (used.expert < 0 || used.expert >= level(l).experts) {
        throw ConfigError("topology: path " + std::to_string(p) + " names " + module_text(l, used.expert) +
                          ", but that level has " + std::to_string(level(l).experts) + " experts");
      }
      paths_through_[position(used)].push_back(PathId{p});
    }
  }
}

/// Regional parts get the numbers behind a level's experts, by module and then region.
void Topology::split_by_region() {
  std::map<ModuleId, std::map<std::int32_t, ModuleId>> parts;
  for (const ModuleId whole : std::vector(modules_)) {
    std::map<std::int32_t, std::vector<PathId>> of_region;
    for (const PathId path : paths_through(whole)) of_region[region_of(path)].push_back(path);
    if (of_region.size() == 1) continue;
    for (const auto& [region, its_paths] : of_region) {
      const std::int32_t expert = levels_[static_cast<std::size_t>(whole.level)].experts++;
      parts[whole][region] = {whole.level, expert};
      for (const PathId path : its_paths) {
        table_[static_cast<std::size_t>(index(path)) * levels_.size() + static_cast<std::size_t>(whole.level)] = expert;
      }
    }
  }
  if (parts.empty()) {
    throw ConfigError(
        "topology: no paths of several regions share a module, so there is nothing to merge; write regions=1");
  }
  number_modules();
  for (const auto& [whole, of_region] : parts) {
    for (const auto& [region, part] : of_region) {
      whole_[position(part)] = whole;
      regional_parts_[position(whole)].push_back(part);
    }
  }
}

std::int32_t Topology::region_of(PathId path) const {
  return static_cast<std::int32_t>(std::int64_t{index(path)} * regions_ / paths());
}

ModuleId Topology::module(PathId path, std::int32_t level) const {
  return {level, table_[static_cast<std::size_t>(index(path)) * levels_.size() + static_cast<std::size_t>(level)]};
}

std::size_t Topology::position(ModuleId module) const {
  return first_module_[static_cast<std::size_t>(module.level)] + static_cast<std::size_t>(module.expert);
}

const std::vector<PathId>& Topology::paths_through(ModuleId module) const { return paths_through_[position(module)]; }

std::vector<std::int32_t> grid_of(const TopologyOptions& options) {
  const std::string& text = options.levels;
  for (const std::string_view one_level : {"flat:", "shared:"}) {
    if (text.starts_with(one_level)) return {parse_count(std::string_view(text).substr(one_level.size()), text)};
  }
  return is_grid(text) ? parse_grid(text) : std::vector<std::int32_t>{};
}

Topology make_topology(const TopologyOptions& options, const ModelOptions& model, const std::filesystem::path& folder) {
  if (model.blocks > kMostBlocks) {
    throw ConfigError("[model] blocks=" + std::to_string(model.blocks) + " is more than " +
                      std::to_string(kMostBlocks));
  }
  const Shape shape = parse_shape(options.levels, folder);
  const Specific specific = parse_specific(options.path_specific, model.blocks);
  std::vector<Level> levels = shared_levels(shape, specific, model.blocks);
  std::vector<bool> kept;
  for (const Level& level : levels) kept.push_back(!level.blocks.empty() || level.embedding || level.final_norm);
  const bool more = !specific.blocks.empty() || specific.embedding;
  const std::size_t paths = shape.table.size() / shape.experts.size();

  std::vector<std::int32_t> table;
  for (std::size_t p = 0; p < paths; ++p) {
    for (std::size_t l = 0; l < levels.size(); ++l) {
      if (kept[l]) table.push_back(shape.table[p * levels.size() + l]);
    }
    if (more) table.push_back(static_cast<std::int32_t>(p));
  }
  std::vector<Level> all;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    if (kept[l]) all.push_back(std::move(levels[l]));
  }
  if (more) all.push_back({specific.blocks, specific.embedding, false, static_cast<std::int32_t>(paths)});
  if (options.regions > static_cast<std::int64_t>(paths)) {
    throw ConfigError("[topology] regions=" + std::to_string(options.regions) + " is more than the " +
                      std::to_string(paths) + " paths");
  }
  return {std::move(all), std::move(table), static_cast<std::int32_t>(options.regions)};
}

}  // namespace dipaco

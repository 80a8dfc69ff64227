#include <algorithm>
#include <iomanip>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.hpp"
#include "core/base/wrap.hpp"
#include "programs/dipaco/inspection.hpp"

namespace dipaco {
namespace {

using nlohmann::json;

constexpr std::size_t kScreen = 80;
constexpr int kHead = 10;
constexpr std::size_t kNamedLabels = 3;

const std::string& label_of(const ShardsFound& found, std::size_t path) {
  return found.labels.names[found.purity.shards[path].label];
}

/// Not where no document has one.
bool labelled(const ShardsFound& found) {
  return std::any_of(found.labels.names.begin(), found.labels.names.end(),
                     [](const std::string& name) { return !name.empty(); });
}

std::string shown_label(const std::string& label) { return label.empty() ? "(none)" : on_one_line(label); }

/// The labels of a shard's train documents with how many have each, the most frequent first.
std::vector<std::pair<std::string, std::int64_t>> labels_of(const ShardsFound& found, std::size_t path) {
  std::map<std::string, std::int64_t> counts;
  for (const DocumentId id : found.shards[path].train) {
    ++counts[found.labels.names[found.labels.of[static_cast<std::size_t>(index(id))]]];
  }
  std::vector<std::pair<std::string, std::int64_t>> order(counts.begin(), counts.end());
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return a.second > b.second; });
  return order;
}

/// "path 0     mostly code (12 of 15 documents), also web (3)", and its typical words: in lines of a screen.
void print_path(std::ostream& out, const ShardsFound& found, std::size_t path) {
  std::string text;
  if (labelled(found)) {
    std::size_t named = 0;
    for (const auto& [label, documents] : labels_of(found, path)) {
      if (named++ == kNamedLabels) break;
      text += (named == 1   ? "mostly "
               : named == 2 ? ", also "
                            : ", ") +
              shown_label(label) + " (" + std::to_string(documents) +
              (named == 1 ? " of " + std::to_string(found.shards[path].train.size()) + " documents)" : ")");
    }
  }
  std::string words;
  for (const std::string& word : found.words[path]) words += (words.empty() ? "words: " : ", ") + word;
  std::string head = "path " + std::to_string(path);
  for (const std::string& part : {text, words}) {
    if (part.empty()) continue;
    for (const std::string& line : wrapped(part, kScreen - kHead)) {
      out << std::left << std::setw(kHead) << head << std::right << line << "\n";
      head.clear();
    }
  }
}

json to_json(const ShardsFound& found, std::size_t path) {
  const Shard& shard = found.shards[path];
  json one{{"holdout", shard.holdout.size()},
           {"path", path},
           {"train", shard.train.size()},
           {"validation", shard.validation.size()}};
  if (labelled(found) && found.purity.shards[path].documents > 0) {
    one["label"] = label_of(found, path);
    one["label_documents"] = found.purity.shards[path].documents;
  }
  one["words"] = found.words[path];
  if (labelled(found)) {
    one["labels"] = json::object();
    for (const auto& [label, documents] : labels_of(found, path)) one["labels"][label] = documents;
  }
  if (found.nearest.empty()) return one;
  one["nearest"] = json::array();
  for (const NearestDocument& near : found.nearest[path]) {
    one["nearest"].push_back({{"begin", near.begin}, {"document", index(near.document)}, {"score", near.score}});
  }
  return one;
}

/// Least, mean and most of the distances between different experts.
std::string between_text(const LevelDistances& level) {
  double least = level.between[0][1];
  double most = least;
  double sum = 0;
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < level.between.size(); ++i) {
    for (std::size_t k = i + 1; k < level.between.size(); ++k, ++pairs) {
      least = std::min(least, level.between[i][k]);
      most = std::max(most, level.between[i][k]);
      sum += level.between[i][k];
    }
  }
  return format_fixed(least, 3) + " to " + format_fixed(most, 3) + ", mean " +
         format_fixed(sum / static_cast<double>(pairs), 3);
}

/// Of the start's norm. 0 where that is 0
double relative(double distance, const LevelDistances& level) {
  return level.start_norm > 0 ? distance / level.start_norm : 0;
}

}  // namespace

void print_text(std::ostream& out, const ShardsFound& found) {
  out << " path    train  hold-out  validation  label\n";
  for (std::size_t path = 0; path < found.shards.size(); ++path) {
    const Shard& shard = found.shards[path];
    const Majority& most = found.purity.shards[path];
    out << std::setw(5) << path << std::setw(9) << shard.train.size() << std::setw(10) << shard.holdout.size()
        << std::setw(12) << shard.validation.size() << "  ";
    if (labelled(found) && most.documents > 0) out << most.documents << " x " << shown_label(label_of(found, path));
    out << "\n";
  }
  if (labelled(found)) {
    out << "purity         " << format_fixed(found.purity.purity, 3)
        << " of the train documents have their shard's label\n";
  }
  if (found.train.total() > 0) {
    out << "entropy        " << format_fixed(found.train.entropy(), 3) << " nats, as of "
        << format_fixed(found.train.effective_paths(), 1) << " equal shards\n";
  }
  out << "\n";
  for (std::size_t path = 0; path < found.shards.size(); ++path) print_path(out, found, path);
  for (std::size_t path = 0; path < found.nearest.size(); ++path) {
    if (!found.nearest[path].empty()) out << "\nbest documents of path " << path << ", the best first\n";
    for (const NearestDocument& near : found.nearest[path]) {
      out << "  " << index(near.document) << ": " << near.begin << "\n";
    }
  }
}

void print_json(std::ostream& out, const ShardsFound& found) {
  json all{{"shards", json::array()}};
  if (labelled(found)) all["purity"] = found.purity.purity;
  if (found.train.total() > 0) {
    all["effective_shards"] = found.train.effective_paths();
    all["entropy_nats"] = found.train.entropy();
  }
  for (std::size_t path = 0; path < found.shards.size(); ++path) all["shards"].push_back(to_json(found, path));
  // A text that is cut within a letter is shown with a mark there.
  out << all.dump(2, ' ', false, json::error_handler_t::replace) << "\n";
}

void print_text(std::ostream& out, const std::vector<LevelDistances>& levels) {
  out << "module        norm  from start  relative\n";
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const LevelDistances& level = levels[l];
    for (std::size_t e = 0; e < level.norms.size(); ++e) {
      const std::string name = std::to_string(l) + "." + std::to_string(e);
      out << std::left << std::setw(8) << name << std::right << std::setw(10) << format_fixed(level.norms[e], 3)
          << std::setw(12) << format_fixed(level.from_start[e], 3) << std::setw(10)
          << format_fixed(relative(level.from_start[e], level), 4) << "\n";
    }
  }
  for (std::size_t l = 0; l < levels.size(); ++l) {
    if (levels[l].norms.size() < 2) continue;
    out << "level " << l << ", between experts: " << between_text(levels[l]) << "\n";
  }
}

void print_json(std::ostream& out, const std::vector<LevelDistances>& levels) {
  json all = json::array();
  for (const LevelDistances& level : levels) {
    json one{{"between_experts", level.between}, {"experts", json::array()}, {"start_norm", level.start_norm}};
    for (std::size_t e = 0; e < level.norms.size(); ++e) {
      one["experts"].push_back({{"from_start", level.from_start[e]},
                                {"from_start_relative", relative(level.from_start[e], level)},
                                {"norm", level.norms[e]}});
    }
    all.push_back(one);
  }
  out << json{{"levels", all}}.dump(2) << "\n";
}

}  // namespace dipaco

#include "programs/dipaco/init/run_file_text.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/base/text.hpp"
#include "core/config/keys.hpp"

namespace dipaco {
namespace {

constexpr std::size_t kColumns = 120;
constexpr std::size_t kMostDomains = 8;

/// `text` as comment lines of at most kColumns.
std::string comment(const std::string& text) {
  std::string lines;
  std::string line = "#";
  for (const std::string& word : split(text, ' ')) {
    if (line.size() + 1 + word.size() > kColumns) {
      lines += line + "\n";
      line = "#";
    }
    line += " " + word;
  }
  return lines + line + "\n";
}

std::string counted(std::int64_t number, const std::string& things) { return human_count(number) + " " + things; }

std::string domains_text(const std::vector<std::string>& domains) {
  if (domains.empty()) return "no document names a domain";
  std::string names = on_one_line(domains.front());
  for (std::size_t i = 1; i < std::min(domains.size(), kMostDomains); ++i) names += ", " + on_one_line(domains[i]);
  return counted(std::ssize(domains), domains.size() == 1 ? "domain" : "domains") + " (" + names +
         (domains.size() > kMostDomains ? ", ..." : "") + ")";
}

/// Sections and keys in the order of the run file, each value as the program itself would write it.
class Writer {
 public:
  explicit Writer(const RunConfig& config) : config_(config) {}

  Writer& section(const std::string& name, const std::string& why = "") {
    section_ = name;
    text_ += "\n[" + name + "]\n";
    return why.empty() ? *this : say(why);
  }
  Writer& say(const std::string& why) {
    text_ += comment(why);
    return *this;
  }
  Writer& keys(const std::vector<std::string>& names) {
    for (const RunKey* key : keys_of(section_)) {
      if (std::ranges::find(names, key->name) == names.end()) continue;
      text_ += std::string(key->name) + "=" + value_text(*key, config_) + "\n";
    }
    return *this;
  }
  const std::string& text() const { return text_; }
  Writer& head(const std::string& lines) {
    text_ += lines;
    return *this;
  }

 private:
  const RunConfig& config_;
  std::string section_;
  std::string text_;
};

std::string head_text(const ChosenRun& chosen, const TextFacts& text, const TrainingMachine& machine) {
  return comment("Written by dipaco init for this text: " + counted(text.documents, "documents") + ", " +
                 human_bytes({static_cast<std::uint64_t>(text.bytes)}) + ", about " + counted(text.tokens, "tokens") +
                 ", " + domains_text(text.domains) + ". Change what you like; docs/run-file.md has all keys.") +
         comment("On " + counted(machine.cores, machine.cores == 1 ? "core" : "cores") + ", training takes about " +
                 human_seconds(chosen.training) + " and " + human_bytes(chosen.memory) +
                 " of memory, by steps that were measured on all of them at once, beside what else ran then. "
                 "Evaluations come on top.");
}

/// What the text is enough for, and whether the model is as large or larger.
std::string size_text(const ChosenRun& chosen) {
  const bool too_large = chosen.parameters > chosen.most_parameters;
  return "A path has " + counted(chosen.parameters, "parameters") + ", by a table of sizes: " +
         (too_large ? "the smallest, though it is more than the text is enough for."
                    : "the largest that the time, half of the memory and the text are enough for, or the smallest.") +
         " Four readings of the text and 20 tokens for each parameter are enough for " +
         counted(chosen.most_parameters, "parameters") + ".";
}

std::string row_text(const ChosenRun& chosen, const TextFacts& text) {
  const std::string half = "half of the documents have " + counted(text.median_tokens, "tokens") + " or more";
  if (chosen.least_row) {
    return "Tokens of a row: the fewest, as the text is small or its documents are short (" + half + ").";
  }
  return "Tokens of a row: a power of two, 1024 at most, not above what half of the documents have (" + half +
         "), and short enough for 16 rows in a thousandth of the text.";
}

void write_model(Writer& file, const ChosenRun& chosen, const TextFacts& text) {
  file.section("model", size_text(chosen))
      .keys({"blocks", "hidden", "heads", "head_size"})
      .say(
          "A power of two: a token for each 4 kB of text, at least 512, and twice the characters that occur; at most "
          "the paper's 32,000.")
      .keys({"vocabulary"})
      .say(row_text(chosen, text))
      .keys({"sequence"});
}

void write_data(Writer& file, const TextFacts& text) {
  const bool by_domain = text.domains.size() > 1;
  file.section("topology", std::string(by_domain ? "As many paths as domains" : "A path for each million tokens") +
                               ", rounded up to 4, 8 or 16, 16 at most, and no more than have 16 documents each." +
                               (by_domain ? " Shards follow the text, not the names of domains: `dipaco inspect "
                                            "shards` says how far they agree."
                                          : ""))
      .keys({"levels"});
  file.section("data", "Files or patterns, comma-separated: docs/text-formats.md says what they hold.").keys({"train"});
  file.say("Documents that nobody trains on, for perplexities: 5 %, or 20 of a small text, but no more than a fifth.")
      .keys({"validation_fraction"});
}

void write_steps(Writer& file, const ChosenRun& chosen) {
  const RunConfig& config = chosen.config;
  file.section("pretrain", "Pretraining reads the whole text " + format_fixed(chosen.dense_passes, 1) +
                               " times; the parts of a batch are computed side by side, one a core.")
      .keys({"steps", "micro_batches"});
  file.section("routing",
               "First tokens of a document, by which its path is chosen: a quarter of what half of the documents have, "
               "at least 4 and at most the paper's 32. Shorter documents are left out.")
      .keys({"prefix"});
  file.section("inner", "Then each path reads its shard " + format_fixed(chosen.passes, 1) +
                            " times, and exchanges modules " + counted(config.outer.steps, "times") +
                            (config.outer.steps < 30 ? ": after each step, as there are so few."
                                                     : ": 30 times or more, with at most 150 steps between two."))
      .keys({"steps"})
      .say("Rows of a step: together a thousandth of the text, but 4 at least and at most the paper's 512.")
      .keys({"batch"});
  if (config.inner.micro_batch > 0) file.say("As many rows at a time as memory has room for.").keys({"micro_batch"});
  file.say("Small models take large steps: 2e-3 up to a width of 96, the paper's 4e-4 from 512 on.")
      .keys({"learning_rate"})
      .say("A tenth of pretraining, at most the paper's 1000.")
      .keys({"warmup"});
  const bool few = config.outer.momentum < 0.9;
  file.section("outer", few ? "The paper's 0.7 and 0.9 are for hundreds of outer steps. In short runs they end above "
                              "the dense start (docs/results/table-settings.md)."
                            : "The paper's values.")
      .keys({"steps", "learning_rate", "momentum"});
}

}  // namespace

std::string run_file_text(const ChosenRun& chosen, const TextFacts& text, const TrainingMachine& machine) {
  Writer file(chosen.config);
  file.head(head_text(chosen, text, machine));
  write_model(file, chosen, text);
  write_data(file, text);
  write_steps(file, chosen);
  return file.text();
}

}  // namespace dipaco

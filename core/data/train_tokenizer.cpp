#include <sentencepiece_trainer.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/data/tokenizer.hpp"

namespace dipaco {
namespace {

constexpr std::size_t kPartBytes = 4000;
constexpr std::int64_t kFixedTokens = 2 + 256;  // unknown, end of document; one for each byte

/// The sample's documents in parts of at most kPartBytes: the trainer aborts where a word has more than 65,535
/// characters, which a document without spaces may have.
class Parts final : public sentencepiece::SentenceIterator {
 public:
  explicit Parts(const std::vector<std::string>& sample) : sample_(sample) { Next(); }

  bool done() const override { return document_ == sample_.size(); }
  const std::string& value() const override { return part_; }
  sentencepiece::util::Status status() const override { return {}; }

  void Next() override {
    while (document_ < sample_.size() && at_ == sample_[document_].size()) {
      ++document_;
      at_ = 0;
    }
    if (done()) return;
    const std::string& text = sample_[document_];
    std::size_t end = std::min(text.size(), at_ + kPartBytes);
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    part_ = text.substr(at_, end - at_);
    at_ = end;
  }

 private:
  const std::vector<std::string>& sample_;
  std::size_t document_ = 0;
  std::size_t at_ = 0;
  std::string part_;
};

/// Lossless as far as SentencePiece can be: text is not normalised, no space is added or taken away, and what has no
/// token is written in bytes. (U+2581, SentencePiece's mark for a space, decodes to a space.)
std::unordered_map<std::string, std::string> trainer_options(std::int64_t vocabulary) {
  return {{"model_type", "bpe"},
          {"vocab_size", std::to_string(vocabulary)},
          {"byte_fallback", "true"},
          {"character_coverage", "0.9995"},
          {"normalization_rule_name", "identity"},
          {"add_dummy_prefix", "false"},
          {"remove_extra_whitespaces", "false"},
          {"allow_whitespace_only_pieces", "true"},
          {"split_digits", "true"},
          {"unk_id", "0"},
          {"eos_id", "1"},
          {"bos_id", "-1"},
          {"pad_id", "-1"},
          {"num_threads", "1"},
          {"minloglevel", "3"}};
}

/// The whole number behind the first `words` of a text; empty where there is none.
std::string number_after(std::string_view text, std::string_view words) {
  const std::size_t found = text.find(words);
  if (found == std::string_view::npos) return "";
  const std::string_view rest = text.substr(found + words.size());
  return std::string(rest.substr(0, rest.find_first_not_of("0123456789")));
}

/// What to do about a vocabulary that the trainer refuses. Its own words name a line of its sources, so that only the
/// number in them is told.
std::string misfit(std::string_view reason) {
  const std::string most = number_after(reason, "Please set it to a value <= ");
  if (!most.empty()) return " is too large for a tokenizer of this text; write a value <= " + most;
  const std::string least =
      number_after(reason, "required_chars. " + number_after(reason, "required_chars. ") + " vs ");
  if (!least.empty()) return " is too small for the characters of this text; write a value >= " + least;
  return " cannot be had of this text; write another value";
}

}  // namespace

void train_tokenizer(const std::vector<std::string>& sample, std::int64_t vocabulary,
                     const std::filesystem::path& model) {
  if (vocabulary <= kFixedTokens) {
    throw ConfigError("model.vocabulary=" + std::to_string(vocabulary) +
                      " is too small for a tokenizer with byte fallback; " + "take more than " +
                      std::to_string(kFixedTokens));
  }
  Parts parts(sample);
  if (parts.done()) throw ConfigError("there is no text to train a tokenizer on; name one in data.tokenizer");
  std::string bytes;
  const auto status = sentencepiece::SentencePieceTrainer::Train(trainer_options(vocabulary), &parts, &bytes);
  if (!status.ok()) {
    throw ConfigError("model.vocabulary=" + std::to_string(vocabulary) + misfit(status.ToString()) +
                      ", or name a model in data.tokenizer");
  }
  write_file(model, bytes);
}

}  // namespace dipaco

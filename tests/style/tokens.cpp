#include "tests/style/tokens.hpp"

#include <algorithm>
#include <cctype>

namespace dipaco::style {
namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class TokenReader {
 public:
  explicit TokenReader(std::string_view source) : source_(source) {}

  std::vector<Token> read() {
    while (at_ < source_.size()) step();
    return std::move(tokens_);
  }

 private:
  bool sees(std::string_view text) const { return source_.substr(at_).starts_with(text); }
  void advance(std::size_t count) {
    const std::string_view passed = source_.substr(at_, count);
    line_ += static_cast<int>(std::count(passed.begin(), passed.end(), '\n'));
    at_ += passed.size();
  }
  /// Up to the end of the next `text`.
  void skip_past(std::string_view text) {
    const auto found = source_.find(text, at_);
    advance(found == std::string_view::npos ? source_.size() : found + text.size() - at_);
  }

  void step() {
    const char c = source_[at_];
    if (is_space(c)) {
      line_begins_ = line_begins_ || c == '\n';
      return advance(1);
    }
    if (c == '#' && line_begins_) return skip_directive();
    line_begins_ = false;
    if (sees("//")) return advance(std::min(source_.find('\n', at_), source_.size()) - at_);
    if (sees("/*")) return skip_past("*/");
    if (c == '"' || c == '\'') return skip_literal(c);
    if (in_word(c)) return read_word();
    if (sees("[[")) in_attribute_ = true;
    const bool two = sees("::") || sees("->") || sees("[[") || (in_attribute_ && sees("]]"));
    if (two && c == ']') in_attribute_ = false;
    put(source_.substr(at_, two ? 2 : 1));
  }

  void put(std::string_view text) {
    tokens_.push_back({std::string(text), line_});
    advance(text.size());
  }

  /// A name or a number, such as 1'000; or the prefix of a raw string with that.
  void read_word() {
    const bool number = is_digit(source_[at_]);
    std::size_t end = at_;
    while (end < source_.size() && (in_word(source_[end]) || (number && source_[end] == '\''))) ++end;
    const std::string_view word = source_.substr(at_, end - at_);
    const bool quoted = end < source_.size() && source_[end] == '"';
    if (quoted && !number && word.ends_with('R')) return skip_raw(end + 1);
    put(word);
  }

  void skip_directive() {
    bool more = true;
    while (more && at_ < source_.size()) {
      const auto end = std::min(source_.find('\n', at_), source_.size());
      more = end > at_ && source_[end - 1] == '\\';
      advance(end + 1 - at_);
    }
    line_begins_ = true;
  }

  /// @param begin  of its delimiter
  void skip_raw(std::size_t begin) {
    tokens_.push_back({"\"\"", line_});
    const auto open = std::min(source_.find('(', begin), source_.size());
    skip_past(")" + std::string(source_.substr(begin, open - begin)) + "\"");
  }

  void skip_literal(char quote) {
    tokens_.push_back({"\"\"", line_});
    advance(1);
    while (at_ < source_.size() && source_[at_] != quote) advance(source_[at_] == '\\' ? 2 : 1);
    advance(1);
  }

  std::string_view source_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_begins_ = true;  ///< nothing but spaces so far
  bool in_attribute_ = false;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source) { return TokenReader(source).read(); }

}  // namespace dipaco::style

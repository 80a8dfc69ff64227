#include "tests/style/sizes.hpp"

#include <algorithm>
#include <set>

#include "tests/style/heads.hpp"

namespace dipaco::style {
namespace {

/// A class that is being read.
struct OpenClass {
  std::string name;
  bool is_public = false;  ///< what is declared next
  int functions = 0;
  int members = 0;
  int line = 0;
};

class Sizer {
 public:
  Sizer(Tokens tokens, std::string file) : tokens_(std::move(tokens)), file_(std::move(file)) {}

  std::vector<Size> read() {
    while (at_ < tokens_.size()) scope();
    return std::move(found_);
  }

 private:
  /// The declarations up to the end of a namespace, a class or the file; afterwards behind its '}'.
  void scope() {
    Tokens head;
    int parentheses = 0;
    for (; at_ < tokens_.size(); ++at_) {
      const std::string& text = tokens_[at_].text;
      if (text == "(") ++parentheses;
      if (text == ")") --parentheses;
      if (parentheses > 0 && text == "{") {  // a default argument
        skip_braces();
        head.push_back({kBraces, tokens_[at_].line});
      } else if (parentheses > 0) {
        head.push_back(tokens_[at_]);
      } else if (text == "}") {
        break;
      } else {
        declare(head);
      }
    }
    ++at_;
  }

  /// At a token that is in no parentheses. `head` is what stands before it since the last declaration.
  void declare(Tokens& head) {
    const std::string& text = tokens_[at_].text;
    if (text == "{") {
      body(head);
    } else if (text == ";") {
      declaration(head);
      head.clear();
    } else if (text == ":" && is_access(head)) {
      classes_.back().is_public = head.back().text == "public";
      head.clear();
    } else {
      head.push_back(tokens_[at_]);
    }
  }

  bool is_access(const Tokens& head) const {
    static const std::set<std::string> kAccess{"public", "protected", "private"};
    return !classes_.empty() && head.size() == 1 && kAccess.contains(head.back().text);
  }

  /// At a '{'; afterwards at its '}', and `head` is what the declaration goes on with.
  void body(Tokens& head) {
    const Tokens bare = plain(head);
    const bool linkage = bare.size() == 2 && bare[0].text == "extern";
    if (has(bare, "namespace") || linkage) {
      inside();
      head.clear();
    } else if (is_class(bare)) {
      type(bare);
      head = {{kBraces, tokens_[at_].line}};  // a variable may follow
    } else if (is_function(bare) && !in_initialiser_list(bare)) {
      function_body(bare);
      head.clear();
    } else {
      skip_braces();
      head.push_back({kBraces, tokens_[at_].line});
    }
  }

  /// At a '{'; afterwards at its '}'.
  void inside() {
    ++at_;
    scope();
    --at_;
  }

  void type(const Tokens& head) {
    classes_.push_back(
        {.name = outer() + class_name(head), .is_public = !has(head, "class"), .line = head.front().line});
    inside();
    const OpenClass done = classes_.back();
    classes_.pop_back();
    found_.push_back({"functions", done.name, done.functions, at(done.line)});
    found_.push_back({"members", done.name, done.members, at(done.line)});
  }

  void function_body(const Tokens& head) {
    if (!classes_.empty() && !has(head, "friend")) ++classes_.back().functions;
    const int begin = tokens_[at_].line;
    skip_braces();
    while (at_ + 1 < tokens_.size() && tokens_[at_ + 1].text == "catch") {  // of a body that is one try
      while (at_ < tokens_.size() && tokens_[at_].text != "{") ++at_;
      skip_braces();
    }
    found_.push_back({"lines", outer() + function_name(head), tokens_[at_].line - begin, at(begin)});
  }

  void skip_braces() {
    int depth = 0;
    for (; at_ < tokens_.size(); ++at_) {
      if (tokens_[at_].text == "{") ++depth;
      if (tokens_[at_].text == "}" && --depth == 0) return;
    }
    --at_;
  }

  /// Without a body. Counts what it adds to its class.
  void declaration(const Tokens& head) {
    static const std::vector<std::string> kOthers{"using", "friend", "typedef", "static_assert", "enum"};
    const Tokens bare = plain(head);
    const bool other = std::ranges::any_of(kOthers, [&](const std::string& word) { return has(bare, word); });
    if (classes_.empty() || bare.empty() || other) return;
    if (is_function(bare)) {
      const std::string& last = bare.back().text;
      if (last != "delete" && last != "default") ++classes_.back().functions;
      return;
    }
    const bool type_alone = bare.size() == 1 || only_names_class(bare);
    if (!type_alone && !has(bare, "static") && !classes_.back().is_public) classes_.back().members += declarators(bare);
  }

  std::string outer() const { return classes_.empty() ? "" : classes_.back().name + "::"; }
  std::string at(int line) const { return file_ + ":" + std::to_string(line); }

  Tokens tokens_;
  std::string file_;
  std::size_t at_ = 0;
  std::vector<OpenClass> classes_;  ///< the outermost first
  std::vector<Size> found_;
};

}  // namespace

std::vector<Size> sizes_in(std::string_view source, const std::string& file) {
  return Sizer(tokens_of(source), file).read();
}

}  // namespace dipaco::style

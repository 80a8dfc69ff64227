#include "tests/style/heads.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace dipaco::style {
namespace {

/// The place behind the bracket that closes the one at `begin`; of several kinds of brackets each counts.
std::size_t behind_group(const Tokens& head, std::size_t begin) {
  static const std::set<std::string> kOpening{"(", "[", "[["};
  static const std::set<std::string> kClosing{")", "]", "]]"};
  int depth = 0;
  for (std::size_t k = begin; k < head.size(); ++k) {
    if (kOpening.contains(head[k].text)) ++depth;
    if (kClosing.contains(head[k].text) && --depth == 0) return k + 1;
  }
  return head.size();
}

/// The place behind the '>' that closes the '<' at `begin`; `begin` where none does: it compares.
std::size_t behind_angles(const Tokens& head, std::size_t begin) {
  int depth = 0;
  for (std::size_t k = begin; k < head.size(); ++k) {
    if (head[k].text == "(") k = behind_group(head, k) - 1;
    if (head[k].text == "<") ++depth;
    if (head[k].text == ">" && --depth == 0) return k + 1;
  }
  return begin;
}

bool is_class_key(const std::string& text) { return text == "class" || text == "struct" || text == "union"; }

/// The place of `operator`, or the head's size.
std::size_t operator_at(const Tokens& head) {
  const auto found = std::ranges::find_if(head, [](const Token& token) { return token.text == "operator"; });
  return static_cast<std::size_t>(found - head.begin());
}

}  // namespace

bool is_name(const std::string& text) {
  return !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '_');
}

bool has(const Tokens& head, const std::string& text) {
  return std::ranges::any_of(head, [&](const Token& token) { return token.text == text; });
}

Tokens plain(const Tokens& head) {
  static const std::set<std::string> kWithGroup{"decltype", "alignas", "explicit", "requires", "__attribute__"};
  Tokens out;
  for (std::size_t k = 0; k < head.size();) {
    const std::string& text = head[k].text;
    const std::string before = k == 0 ? "" : head[k - 1].text;
    const std::size_t behind = text == "<" && is_name(before) ? behind_angles(head, k) : k;
    if (behind > k) {
      k = behind;
    } else if (text == "[[" || (text == "(" && kWithGroup.contains(before))) {
      k = behind_group(head, k);
    } else {
      if (text != "template" && text != "__attribute__") out.push_back(head[k]);
      ++k;
    }
  }
  return out;
}

std::size_t parameters_at(const Tokens& head) {
  const auto from = head.begin() + static_cast<std::ptrdiff_t>(operator_at(head));
  if (from != head.end()) {
    const auto first = std::find_if(from, head.end(), [](const Token& token) { return token.text == "("; });
    return static_cast<std::size_t>(first - head.begin());
  }
  const auto found =
      std::ranges::find_if(head, [](const Token& token) { return token.text == "=" || token.text == "("; });
  if (found == head.end() || found->text == "=") return head.size();
  const bool pointer = found + 1 != head.end() && (found + 1)->text == "*";  // to a function
  return pointer ? head.size() : static_cast<std::size_t>(found - head.begin());
}

std::string function_name(const Tokens& head) {
  const std::size_t op = operator_at(head);
  const std::size_t end = op < head.size() ? op + 1 : parameters_at(head);
  std::size_t begin = end;
  while (begin > 0) {
    const std::string& text = head[begin - 1].text;
    const bool part = is_name(text) || text == "::" || text == "~";
    const bool two_names = begin < end && is_name(text) && is_name(head[begin].text);
    if (!part || two_names) break;
    --begin;
  }
  std::string name;
  for (std::size_t k = begin; k < end; ++k) name += head[k].text;
  return name;
}

bool in_initialiser_list(const Tokens& head) {
  bool list = false;
  for (std::size_t k = parameters_at(head); k < head.size(); ++k) {
    if (head[k].text == "(") k = behind_group(head, k) - 1;
    list = list || head[k].text == ":";
  }
  return list && is_name(head.back().text);
}

bool is_class(const Tokens& head) {
  const bool key = std::ranges::any_of(head, [](const Token& token) { return is_class_key(token.text); });
  return key && !is_function(head) && !has(head, "enum") && !has(head, "=");
}

bool only_names_class(const Tokens& head) {
  return is_class_key(head.front().text) && (head.size() == 2 || (head.size() > 2 && head[2].text == "::"));
}

std::string class_name(const Tokens& head) {
  std::string name;
  for (const Token& token : head) {
    if (token.text == ":") break;
    if (token.text == "::" || (is_name(token.text) && name.ends_with("::"))) {
      name += token.text;
    } else if (is_name(token.text) && !is_class_key(token.text) && token.text != "final" && token.text != "alignas") {
      name = token.text;
    }
  }
  return name;
}

int declarators(const Tokens& head) {
  int count = 1;
  for (std::size_t k = 0; k < head.size(); ++k) {
    if (head[k].text == "(" || head[k].text == "[") k = behind_group(head, k) - 1;
    if (head[k].text == ",") ++count;
  }
  return count;
}

}  // namespace dipaco::style

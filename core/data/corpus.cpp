#include "core/data/corpus.hpp"

#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/data/line_reader.hpp"
#include "core/data/utf8.hpp"

namespace dipaco {
namespace {

using Visit = std::function<void(const Document&)>;
using nlohmann::json;

constexpr std::size_t kTextDocumentCharacters = 2000;

bool blank(std::string_view line) { return line.find_first_not_of(" \t\r\v\f") == std::string_view::npos; }

json parse_object(const LineReader& reader) {
  try {
    json value = json::parse(reader.line());
    if (value.is_object()) return value;
  } catch (const json::exception& error) {
    const auto* const broken = dynamic_cast<const json::parse_error*>(&error);
    const std::string where = broken != nullptr ? " at byte " + std::to_string(broken->byte) + " of the line" : "";
    reader.fail("broken JSON" + where + "; a line must be one object such as {\"text\": \"...\"}");
  }
  reader.fail("not a JSON object; a line must be one object such as {\"text\": \"...\"}");
}

/// The string field `name`, or nullptr where there is none.
const std::string* text_field(const json& object, const char* name, const LineReader& reader) {
  const auto field = object.find(name);
  if (field == object.end() || field->is_null()) return nullptr;
  if (!field->is_string()) reader.fail(std::string("the field \"") + name + "\" is not a string; put it in quotes");
  return field->get_ptr<const std::string*>();
}

std::int64_t read_jsonl(LineReader reader, const Visit& visit) {
  std::int64_t documents = 0;
  while (reader.next()) {
    if (blank(reader.line())) continue;
    const json object = parse_object(reader);
    const std::string* const text = text_field(object, "text", reader);
    if (text == nullptr) reader.fail("no field \"text\"; a line must be one object such as {\"text\": \"...\"}");
    if (text->empty()) continue;
    const std::string* const domain = text_field(object, "domain", reader);
    visit({*text, domain != nullptr ? std::string_view(*domain) : std::string_view()});
    ++documents;
  }
  return documents;
}

std::int64_t read_txt(LineReader reader, const Visit& visit) {
  std::int64_t documents = 0;
  std::string text;
  std::size_t characters = 0;
  const auto end_document = [&] {
    while (text.ends_with('\n')) text.pop_back();
    visit({text, ""});
    ++documents;
    text.clear();
    characters = 0;
  };
  while (reader.next()) {
    const bool is_blank = blank(reader.line());
    if (is_blank && text.empty()) continue;
    if (is_blank && characters >= kTextDocumentCharacters) {
      end_document();
      continue;
    }
    characters += count_characters(reader.line()) + 1;
    text.append(reader.line()).push_back('\n');
  }
  if (!text.empty()) end_document();
  return documents;
}

}  // namespace

std::int64_t visit_documents(const std::filesystem::path& file, const Visit& visit) {
  const std::string name = file.filename().string();
  if (name.ends_with(".jsonl.gz")) return read_jsonl(LineReader(file, LineReader::Packing::gzip), visit);
  if (name.ends_with(".jsonl")) return read_jsonl(LineReader(file, LineReader::Packing::plain), visit);
  if (name.ends_with(".txt")) return read_txt(LineReader(file, LineReader::Packing::plain), visit);
  throw DataError(file.string() + ": unknown ending; a corpus is .jsonl, .jsonl.gz or .txt");
}

void for_each_document(const std::vector<std::filesystem::path>& files, const Visit& visit) {
  std::int64_t documents = 0;
  for (const auto& file : files) documents += visit_documents(file, visit);
  if (documents == 0) throw_no_document(files);
}

void throw_no_document(const std::vector<std::filesystem::path>& files) {
  const std::string where = files.empty() ? "no file was given"
                                          : files.front().string() + (files.size() > 1 ? " and the other files" : "") +
                                                ": no document with text";
  throw DataError(where + "; name a corpus that is not empty");
}

}  // namespace dipaco

#include "core/checkpoint/checkpoint.hpp"

#include "core/base/error.hpp"
#include "core/base/sealed.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

constexpr Seal kCheckpointSeal{.magic = "DIPACOCK", .version = 1, .noun = "checkpoint"};

/// The next name; names are unique and ascending, so that one checkpoint has one encoding.
std::string next_name(ByteReader& reader, const std::string* last) {
  std::string name = reader.text();
  if (last != nullptr && name <= *last) reader.fail("the name \"" + name + "\" is not behind \"" + *last + "\"");
  return name;
}

template <class Value, class Read>
std::map<std::string, Value> read_map(ByteReader& reader, Read read) {
  std::map<std::string, Value> items;
  const auto count = reader.value<std::uint32_t>();
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string name = next_name(reader, items.empty() ? nullptr : &items.rbegin()->first);
    items.emplace_hint(items.end(), std::move(name), read(reader));
  }
  return items;
}

const std::string& find_fact(const Checkpoint& checkpoint, const std::string& fact, std::string_view source) {
  const auto found = checkpoint.facts.find(fact);
  if (found == checkpoint.facts.end()) {
    throw DataError(std::string(source) + ": a checkpoint without the fact \"" + fact + "\"");
  }
  return found->second;
}

}  // namespace

std::int64_t Checkpoint::integer(const std::string& fact, std::string_view source) const {
  const std::string& text = find_fact(*this, fact, source);
  const auto value = parse_integer(text);
  if (!value) throw DataError(std::string(source) + ": the fact \"" + fact + "\" is \"" + text + "\", not an integer");
  return *value;
}

double Checkpoint::number(const std::string& fact, std::string_view source) const {
  const std::string& text = find_fact(*this, fact, source);
  const auto value = parse_number(text);
  if (!value) throw DataError(std::string(source) + ": the fact \"" + fact + "\" is \"" + text + "\", not a number");
  return *value;
}

const std::vector<float>& Checkpoint::array(const std::string& name, std::string_view source) const {
  const auto found = arrays.find(name);
  if (found == arrays.end()) throw DataError(std::string(source) + ": a checkpoint without the array \"" + name + "\"");
  return found->second;
}

std::vector<std::byte> encode(const Checkpoint& checkpoint) {
  ByteWriter writer = begin_sealed(kCheckpointSeal);
  constexpr std::size_t kSmall = 4096;  // facts, names and the checksum
  std::size_t size = kSmall;
  for (const auto& [name, values] : checkpoint.arrays) size += values.size() * sizeof(float);
  writer.expect(size);
  writer.value(static_cast<std::uint32_t>(checkpoint.facts.size()));
  for (const auto& [name, value] : checkpoint.facts) {
    writer.text(name);
    writer.text(value);
  }
  writer.value(static_cast<std::uint32_t>(checkpoint.arrays.size()));
  for (const auto& [name, values] : checkpoint.arrays) {
    writer.text(name);
    writer.array(std::span<const float>(values));
  }
  return finish_sealed(std::move(writer));
}

Checkpoint decode_checkpoint(std::span<const std::byte> bytes, const std::string& source) {
  ByteReader reader = open_sealed(bytes, kCheckpointSeal, source);
  Checkpoint checkpoint;
  checkpoint.facts = read_map<std::string>(reader, [](ByteReader& from) { return from.text(); });
  checkpoint.arrays = read_map<std::vector<float>>(reader, [](ByteReader& from) { return from.array<float>(); });
  if (reader.remaining() > 0) reader.fail(std::to_string(reader.remaining()) + " bytes too many");
  return checkpoint;
}

}  // namespace dipaco

// Journals: any bytes, and journals made of the input, cut and then damaged in one place.

#include <algorithm>

#include "core/base/bytes.hpp"
#include "core/checkpoint/journal.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace dipaco::fuzz {
namespace {

struct Made {
  std::vector<std::byte> bytes = begin_journal();
  std::vector<std::vector<std::byte>> records;
};

/// Each record is what follows a byte that says how long it is.
Made make_journal(ByteReader& reader) {
  Made made;
  while (reader.remaining() > 0) {
    const std::size_t length = std::min<std::size_t>(reader.value<std::uint8_t>(), reader.remaining());
    const auto record = reader.raw(length);
    const auto framed = frame_record(record, made.bytes.size());
    made.bytes.insert(made.bytes.end(), framed.begin(), framed.end());
    made.records.emplace_back(record.begin(), record.end());
  }
  return made;
}

void check_made(Made made, std::size_t cut, std::size_t zeros, std::uint8_t flip) {
  check(read_journal(made.bytes, "input").records == made.records, "a journal reads back");
  made.bytes.resize(made.bytes.size() - cut % made.bytes.size());
  const Journal kept = read_journal(made.bytes, "input");
  check(kept.torn == (kept.whole != made.bytes.size()), "a cut is told");
  check(std::equal(kept.records.begin(), kept.records.end(), made.records.begin()),
        "a cut keeps the records before it");
  made.bytes.resize(made.bytes.size() + zeros);
  made.bytes[cut % made.bytes.size()] ^= std::byte{flip};
  may_refuse([&] {
    const Journal journal = read_journal(made.bytes, "input");
    check(journal.whole <= made.bytes.size() && journal.torn == (journal.whole != made.bytes.size()),
          "whole is a size");
  });
}

}  // namespace

void try_input(Input input) {
  may_refuse([&] { static_cast<void>(read_journal(input, "input")); });
  may_refuse([&] {
    ByteReader reader(input, "input");
    const auto cut = reader.value<std::uint16_t>();
    const auto zeros = reader.value<std::uint8_t>();
    const auto flip = reader.value<std::uint8_t>();
    check_made(make_journal(reader), cut, zeros, flip);
  });
}

std::vector<Seed> seeds() {
  Seed journal = begin_journal();
  for (const std::string_view record : {"one", "", "three"}) {
    const auto framed = frame_record(as_seed(record), journal.size());
    journal.insert(journal.end(), framed.begin(), framed.end());
  }
  using namespace std::string_view_literals;
  return {journal, as_seed("\5\0\2\1\3abc\0\4defg"sv)};
}

}  // namespace dipaco::fuzz

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/checkpoint/journal.hpp"

namespace dipaco {
namespace {

using ByteVector = std::vector<std::byte>;

ByteVector record_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

void append(ByteVector& journal, const ByteVector& record) {
  const ByteVector framed = frame_record(record, journal.size());
  journal.insert(journal.end(), framed.begin(), framed.end());
}

/// Records of several sizes, one empty, one of zeros; `ends` has the journal's size after the header and each record.
struct Example {
  ByteVector bytes = begin_journal();
  std::vector<ByteVector> records{record_of("first"), {}, ByteVector(40), record_of("the last, of 24 letters.")};
  std::vector<std::size_t> ends{bytes.size()};

  Example() {
    for (const ByteVector& record : records) {
      append(bytes, record);
      ends.push_back(bytes.size());
    }
  }
  ByteVector cut(std::size_t length) const {
    return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)};
  }
  /// How many records are whole in the first `length` bytes.
  std::size_t whole_records(std::size_t length) const {
    std::size_t count = 0;
    while (count < records.size() && ends[count + 1] <= length) ++count;
    return count;
  }
};

std::string journal_error(const ByteVector& bytes) {
  try {
    static_cast<void>(read_journal(bytes, "store/log"));
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

/// `journal` has the example's first `count` records and tells a torn end.
void check_torn(const Example& example, const Journal& journal, std::size_t count) {
  CHECK(journal.torn);
  REQUIRE(journal.records.size() == count);
  for (std::size_t i = 0; i < count; ++i) CHECK(journal.records[i] == example.records[i]);
}

TEST_CASE("a journal reads back record by record", "[checkpoint]") {
  const Example example;
  const Journal journal = read_journal(example.bytes, "test");
  CHECK(journal.records == example.records);
  CHECK(journal.whole == example.bytes.size());
  CHECK_FALSE(journal.torn);
  const Journal none = read_journal(begin_journal(), "test");
  CHECK(none.records.empty());
  CHECK(none.whole == begin_journal().size());
  CHECK_FALSE(none.torn);
}

TEST_CASE("a journal cut anywhere keeps its whole records and tells a torn end", "[checkpoint]") {
  const Example example;
  for (std::size_t length = 0; length < example.bytes.size(); ++length) {
    INFO("cut to " << length);
    const Journal journal = read_journal(example.cut(length), "test");
    const std::size_t count = example.whole_records(length);
    const bool at_an_end = length == example.ends[count];
    CHECK(journal.torn != at_an_end);
    CHECK(journal.whole == (length < example.ends[0] ? 0 : example.ends[count]));
    if (!at_an_end) check_torn(example, journal, count);
  }
}

TEST_CASE("a file lengthened by zeros before its bytes were written is a torn end too", "[checkpoint]") {
  const Example example;
  for (std::size_t length = 0; length <= example.bytes.size(); ++length) {
    for (const std::size_t zeros : {1, 7, 8, 12, 16, 4096}) {
      INFO("cut to " << length << ", then " << zeros << " zeros");
      ByteVector bytes = example.cut(length);
      bytes.resize(length + zeros);
      // Zeros may happen to be the bytes that were cut off.
      const auto same = std::mismatch(bytes.begin(), bytes.end(), example.bytes.begin(), example.bytes.end());
      const auto written = static_cast<std::size_t>(same.first - bytes.begin());
      const std::size_t count = example.whole_records(written);
      const bool in_checksum = count < example.records.size() && written > example.ends[count + 1] - 8;
      if (in_checksum && bytes.size() >= example.ends[count + 1]) {
        CHECK_THAT(journal_error(bytes), Catch::Contains("damaged at byte " + std::to_string(example.ends[count])));
        continue;
      }
      const Journal journal = read_journal(bytes, "test");
      CHECK(journal.records.size() == count);
      CHECK(journal.torn == (journal.whole < bytes.size()));
    }
  }
}

TEST_CASE("no flipped bit of a whole journal goes unseen", "[checkpoint]") {
  Example example;
  for (std::size_t bit = 0; bit < example.bytes.size() * 8; ++bit) {
    const auto flip = static_cast<std::byte>(1U << (bit % 8));
    example.bytes[bit / 8] ^= flip;
    INFO("bit " << bit);
    CHECK_THAT(journal_error(example.bytes), Catch::StartsWith("store/log: "));
    example.bytes[bit / 8] ^= flip;
  }
  CHECK(journal_error(example.bytes) == "no error");
}

TEST_CASE("damage before a torn end is an error that names the byte and what to do", "[checkpoint]") {
  Example example;
  append(example.bytes, record_of("torn"));
  example.bytes.resize(example.bytes.size() - 3);
  for (std::size_t record = 0; record < example.records.size(); ++record) {
    ByteVector bytes = example.bytes;
    bytes[example.ends[record + 1] - 1] ^= std::byte{1};
    const std::string at = "store/log: damaged at byte " + std::to_string(example.ends[record]) + ": ";
    CHECK_THAT(journal_error(bytes),
               Catch::StartsWith(at) && Catch::Contains("checksum") && Catch::Contains("restore"));
    bytes = example.bytes;
    bytes[example.ends[record]] ^= std::byte{0x80};  // would else reach beyond the end, as a torn record does
    CHECK_THAT(journal_error(bytes), Catch::StartsWith(at) && Catch::Contains("length"));
  }
}

TEST_CASE("records that were moved, repeated or left out are errors", "[checkpoint]") {
  const Example example;
  ByteVector twice = example.cut(example.ends[1]);
  twice.insert(twice.end(), twice.begin() + static_cast<std::ptrdiff_t>(example.ends[0]), twice.end());
  CHECK_THAT(journal_error(twice), Catch::Contains("at byte " + std::to_string(example.ends[1])));
  ByteVector without = example.bytes;
  without.erase(without.begin() + static_cast<std::ptrdiff_t>(example.ends[0]),
                without.begin() + static_cast<std::ptrdiff_t>(example.ends[1]));
  CHECK_THAT(journal_error(without), Catch::Contains("at byte " + std::to_string(example.ends[0])));
}

TEST_CASE("appending behind a torn end that was not cut off is seen", "[checkpoint]") {
  const Example example;
  ByteVector bytes = example.cut(example.bytes.size() - 1);
  append(bytes, record_of("next"));
  CHECK_THAT(journal_error(bytes), Catch::Contains("damaged at byte"));
}

TEST_CASE("another format or version is no journal", "[checkpoint]") {
  Example example;
  example.bytes[8] = std::byte{1};
  CHECK_THAT(journal_error(example.bytes), Catch::Contains("a journal of version 1"));
  CHECK_THAT(journal_error(record_of("DIPACOCK....")), Catch::Contains("not a journal"));
  CHECK_THAT(journal_error(record_of("DIPACO?")), Catch::Contains("another kind of file"));
}

}  // namespace
}  // namespace dipaco

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "backends/gloo/links/sealing/handshake.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco {
namespace {

Secret secret_of(std::string text) { return Secret(std::as_bytes(std::span(text))); }

/// Both sides, each with its secret, or none.
struct Meeting {
  Meeting(const Secret* a, const Secret* b)
      : first(Handshake::Side::initiator, a), second(Handshake::Side::responder, b) {}
  void exchange() {
    second.take_offer(first.offer());
    first.take_offer(second.offer());
    first.check_proof(second.proof());
    second.check_proof(first.proof());
  }
  Handshake first;
  Handshake second;
};

}  // namespace

TEST_CASE("two nodes with one secret have the same two keys, and other ones at each meeting", "[gloo]") {
  const Secret secret = secret_of("0123456789abcdef");
  Meeting one(&secret, &secret);
  one.exchange();
  const SessionKeys a = one.first.keys();
  const SessionKeys b = one.second.keys();
  REQUIRE(a.sending);
  CHECK(a.sending == b.receiving);
  CHECK(a.receiving == b.sending);
  CHECK(a.sending != a.receiving);
  Meeting two(&secret, &secret);
  two.exchange();
  CHECK(two.first.keys().sending != a.sending);
}

TEST_CASE("without a secret there is nothing to hide behind", "[gloo]") {
  Meeting meeting(nullptr, nullptr);
  CHECK_NOTHROW(meeting.exchange());
  CHECK_FALSE(meeting.first.keys().sending);
  CHECK_FALSE(meeting.second.keys().receiving);
}

TEST_CASE("another secret, or none on one side, is not authorised", "[gloo]") {
  const Secret ours = secret_of("0123456789abcdef");
  const Secret theirs = secret_of("0123456789abcdeF");
  CHECK_THROWS_AS(Meeting(&ours, &theirs).exchange(), NotAuthorised);
  CHECK_THROWS_WITH(Meeting(&ours, nullptr).exchange(), Catch::Contains("give this one --secret-file"));
  CHECK_THROWS_WITH(Meeting(nullptr, &theirs).exchange(), Catch::Contains("give it --secret-file"));
}

TEST_CASE("who repeats a recorded proof, or gives back ours, is not authorised", "[gloo]") {
  const Secret secret = secret_of("0123456789abcdef");
  Meeting recorded(&secret, &secret);
  recorded.exchange();
  Meeting meeting(&secret, &secret);
  meeting.first.take_offer(meeting.second.offer());
  CHECK_THROWS_AS(meeting.first.check_proof(recorded.second.proof()), NotAuthorised);
  CHECK_THROWS_AS(meeting.first.check_proof(meeting.first.proof()), NotAuthorised);
}

TEST_CASE("an offer with any bit flipped leads to no meeting", "[gloo]") {
  const Secret secret = secret_of("0123456789abcdef");
  for (std::size_t bit = 0; bit < 8 * Handshake::kOfferSize; ++bit) {
    Meeting meeting(&secret, &secret);
    Handshake::Offer flipped = meeting.first.offer();
    flipped[bit / 8] ^= std::byte{1} << (bit % 8);
    const auto meet = [&] {
      meeting.second.take_offer(flipped);
      meeting.first.take_offer(meeting.second.offer());
      meeting.first.check_proof(meeting.second.proof());
    };
    CHECK_THROWS_AS(meet(), LinkError);
  }
}

TEST_CASE("a secret comes from a file, and one that can be guessed is refused", "[gloo]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "secret";
  write_file(file, "a secret of 25 characters\n");
  CHECK(Secret::from_file(file).derive("x") == secret_of("a secret of 25 characters").derive("x"));
  CHECK(Secret::from_file(file).derive("x") != Secret::from_file(file).derive("y"));
  write_file(file, "too short \n");
  CHECK_THROWS_WITH(Secret::from_file(file), Catch::Contains("9 bytes can be guessed"));
  CHECK_THROWS_AS(Secret::from_file(folder.path() / "none"), ConfigError);
}

}  // namespace dipaco

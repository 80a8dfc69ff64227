// Frames between processes: the first byte says which, the rest is its payload; and the header before it.

#include <algorithm>

#include "backends/gloo/links/frame.hpp"
#include "backends/gloo/links/sealing/handshake.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace dipaco::fuzz {
namespace {

template <class Payload>
void try_payload(Input bytes) {
  const auto again = encode_payload(decode_payload<Payload>(bytes, "input"));
  check(std::ranges::equal(again, encode_payload(decode_payload<Payload>(again, "again"))),
        "a payload that was read can be sent on");
}

template <class... Payload>
struct Payloads {
  static void try_one(std::size_t which, Input bytes) {
    std::size_t k = 0;
    ((k++ == which ? try_payload<Payload>(bytes) : void()), ...);
  }
  static std::vector<Seed> one_of_each() {
    std::vector<Seed> seeds{encode_payload(Payload{})...};
    for (std::size_t k = 0; k < seeds.size(); ++k) seeds[k].insert(seeds[k].begin(), std::byte(k));
    return seeds;
  }
};

using All = Payloads<Member, Join, Welcome, Refused, OpenLink, LinkOpen, OpenStream, Announce>;

void try_header(Input input) {
  FrameHeaderBytes bytes{};
  std::copy_n(input.begin(), std::min(input.size(), bytes.size()), bytes.begin());
  try {
    check(encode(decode_frame_header(bytes)) == bytes, "a header that was read is sent on as it was");
  } catch (const LinkError&) {
    // It is none.
  }
}

/// What a stranger sends first.
void try_offer(Input input) {
  static const Handshake::Offer kOurs = Handshake(Handshake::Side::responder, nullptr).offer();
  Handshake::Offer offer = kOurs;
  std::copy_n(input.begin(), std::min(input.size(), offer.size()), offer.begin());
  Handshake handshake(Handshake::Side::responder, nullptr);
  try {
    handshake.take_offer(offer);
    handshake.check_proof({});
  } catch (const LinkError&) {
    // It is none, or its proof is not.
  }
}

}  // namespace

void try_input(Input input) {
  try_header(input);
  try_offer(input);
  if (input.empty()) return;
  may_refuse([&] { All::try_one(std::to_integer<std::size_t>(input.front()), input.subspan(1)); });
}

std::vector<Seed> seeds() { return All::one_of_each(); }

}  // namespace dipaco::fuzz

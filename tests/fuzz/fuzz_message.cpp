// Messages between nodes.

#include <utility>

#include "core/transport/messages.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace dipaco::fuzz {
namespace {

template <std::size_t... Kind>
std::vector<Seed> one_of_each(std::index_sequence<Kind...> /*kinds*/) {
  return {encode(make_message(Body(std::in_place_index<Kind>)))...};
}

}  // namespace

void try_input(Input input) {
  may_refuse([&] {
    const Message message = decode_message(input, "input");
    const std::vector<std::byte> again = encode(message);
    check(encode(decode_message(again, "again")) == again, "a message that was read can be sent on");
  });
}

std::vector<Seed> seeds() { return one_of_each(std::make_index_sequence<std::variant_size_v<Body>>()); }

}  // namespace dipaco::fuzz

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
    const auto* gradient = std::get_if<OuterGradient>(&message.body);
    if (gradient == nullptr || gradient->difference.bytes == nullptr) return;
    const auto& [format, bytes, count] = gradient->difference;
    if (bytes->size() != encoded_size(format, count)) return;  // charged for more than what was learned has
    check(decode_gradient(format, *bytes, count).size() == count, "an outer gradient that was read has its values");
  });
}

std::vector<Seed> seeds() {
  auto all = one_of_each(std::make_index_sequence<std::variant_size_v<Body>>());
  const std::vector<float> floats(kGradientBlock + 1, 0.5F);
  for (const auto format : {GradientFormat::fp32, GradientFormat::bf16, GradientFormat::int8, GradientFormat::e3m0}) {
    const auto bytes = std::make_shared<const std::vector<std::byte>>(encode_gradient(format, floats));
    all.push_back(encode(
        make_message(OuterGradient{{1, 2}, {PathId{3}, OuterStep{4}}, Version{5}, 6, {format, bytes, floats.size()}})));
  }
  return all;
}

}  // namespace dipaco::fuzz

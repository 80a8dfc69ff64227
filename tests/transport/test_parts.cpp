#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "core/base/error.hpp"
#include "core/transport/messages.hpp"
#include "core/transport/parts.hpp"

namespace dipaco {
namespace {

constexpr std::size_t kMany = kLongArray;  ///< floats: four times as many bytes as are long

Values counting(std::size_t count) {
  std::vector<float> floats(count);
  for (std::size_t k = 0; k < count; ++k) floats[k] = static_cast<float>(k) / 3;
  return {std::make_shared<const std::vector<float>>(std::move(floats)), count};
}

ReceivedArray received(ItemKind kind, std::span<const std::byte> bytes, SpareArrays& spare, std::size_t piece) {
  ReceivedArray array(kind, bytes.size(), spare);
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(piece, bytes.size()))) {
    std::ranges::copy(bytes.first(std::min(piece, bytes.size())), array.extend(std::min(piece, bytes.size())).begin());
  }
  return array;
}

std::vector<ReceivedArray> all_received(std::span<const LongArray> arrays, SpareArrays& spare) {
  std::vector<ReceivedArray> all;
  for (const LongArray& array : arrays) all.push_back(received(array.kind, array.bytes, spare, 100'000));
  return all;
}

}  // namespace

TEST_CASE("a message whose long arrays go apart comes as it was", "[transport]") {
  const auto spare = std::make_shared<SpareArrays>(1 << 20);
  const auto outer =
      std::make_shared<const std::vector<std::byte>>(encode_gradient(GradientFormat::int8, *counting(kMany).data));
  for (const Message& message :
       {make_message(PutModule{{1, 2}, Version{3}, 4, {}, {}, counting(kMany), counting(7)}),
        make_message(PutModule{{1, 2}, Version{3}, 4, {}, {}, counting(kMany), counting(2 * kMany)}),
        make_message(
            OuterGradient{{1, 2}, {PathId{3}, OuterStep{4}}, Version{4}, 1, {GradientFormat::int8, outer, kMany}})}) {
    std::vector<LongArray> apart;
    const auto head = encode_apart(message, apart);
    CHECK_FALSE(apart.empty());
    CHECK(head.size() < kLongArray);
    std::size_t size = head.size();
    for (const LongArray& array : apart) size += array.bytes.size();
    CHECK(size == encode(message).size());
    const Message back = decode_apart(head, all_received(apart, *spare), "a test");
    CHECK(encode(back) == encode(message));
  }
}

TEST_CASE("arrays that are not the message's are refused", "[transport]") {
  const auto spare = std::make_shared<SpareArrays>(1 << 20);
  std::vector<LongArray> apart;
  const Message message = make_message(ModuleValues{{1, 2}, Version{3}, 4, counting(kMany)});
  const auto head = encode_apart(message, apart);
  const auto good = all_received(apart, *spare);
  CHECK_NOTHROW(decode_apart(head, good, "a test"));
  CHECK_THROWS_AS(decode_apart(head, {}, "a test"), DataError);
  CHECK_THROWS_AS(decode_apart(head, std::vector{good[0], good[0]}, "a test"), DataError);
  const auto bytes = apart[0].bytes;
  CHECK_THROWS_AS(decode_apart(head, std::vector{received(ItemKind::bytes, bytes, *spare, 1000)}, "a test"), DataError);
  const auto shorter = bytes.first(bytes.size() - sizeof(float));
  CHECK_THROWS_AS(decode_apart(head, std::vector{received(ItemKind::floats, shorter, *spare, 1000)}, "a test"),
                  DataError);
}

TEST_CASE("memory of an array that nobody reads serves the next of its size, within a bound", "[transport]") {
  const auto spare = std::make_shared<SpareArrays>(3 * kLongArray);
  const auto used = [&](std::size_t bytes) {
    ReceivedArray array(ItemKind::bytes, bytes, *spare);
    return array.extend(bytes).data();
  };
  const auto* const first = used(kLongArray);
  CHECK(used(kLongArray) == first);
  {
    const ReceivedArray fills(ItemKind::bytes, kLongArray, *spare);
    const ReceivedArray other(ItemKind::bytes, kLongArray, *spare);
    CHECK(fills.items<std::byte>()->data() == first);
    CHECK(other.items<std::byte>()->data() != first);
  }
  used(8 * kLongArray);  // one array is kept whatever its size, and no other beside it
  const auto all = spare->take<std::byte>(kLongArray);
  CHECK(all->empty());
  CHECK(spare->take<std::byte>(8 * kLongArray)->size() == 8 * kLongArray);
}

TEST_CASE("an array may outlive those who keep spare memory", "[transport]") {
  auto spare = std::make_shared<SpareArrays>(1 << 20);
  auto items = spare->take<float>(kMany);
  items->resize(kMany, 2);
  spare.reset();
  CHECK(items->back() == 2);
  items.reset();
}

}  // namespace dipaco

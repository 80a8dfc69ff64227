#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/outer/gradient_format.hpp"
#include "core/outer/outer_gradient.hpp"

namespace dipaco {
namespace {

constexpr auto kFormats = {GradientFormat::fp32, GradientFormat::bf16, GradientFormat::int8, GradientFormat::e3m0};
constexpr std::size_t kBlocks = 2000;

float from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

std::vector<float> round_trip(GradientFormat format, const std::vector<float>& values) {
  return decode_gradient(format, encode_gradient(format, values), values.size());
}

/// Blocks of magnitudes from 1e-8 to 1e2, each with values of one magnitude; the last one has 7 values.
std::vector<float> made_up() {
  std::vector<float> values((kBlocks - 1) * kGradientBlock + 7);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double magnitude = std::pow(10.0, -8 + 10 * draw_uniform(1, Draw::jitter, k / kGradientBlock));
    values[k] = static_cast<float>(magnitude * draw_normal(2, Draw::jitter, k));
  }
  return values;
}

float largest_of_block(const std::vector<float>& values, std::size_t k) {
  const std::size_t begin = k / kGradientBlock * kGradientBlock;
  float largest = 0;
  for (std::size_t j = begin; j < std::min(begin + kGradientBlock, values.size()); ++j) {
    largest = std::max(largest, std::abs(values[j]));
  }
  return largest;
}

}  // namespace

TEST_CASE("a value takes 4 bytes in fp32, 2 in bf16, and 68 / 64 in int8", "[outer]") {
  CHECK(encoded_size(GradientFormat::fp32, 100) == 400);
  CHECK(encoded_size(GradientFormat::bf16, 100) == 200);
  CHECK(encoded_size(GradientFormat::int8, 64) == 68);
  CHECK(encoded_size(GradientFormat::int8, 65) == 65 + 2 * 4);
  CHECK(encoded_size(GradientFormat::int8, 6'400'000'000) == 6'800'000'000);
  for (const GradientFormat format : kFormats) {
    CHECK(encoded_size(format, 0) == 0);
    CHECK(encode_gradient(format, {}).empty());
    CHECK(decode_gradient(format, {}, 0).empty());
    for (const std::size_t count : {1U, 63U, 64U, 65U, 1000U}) {
      CHECK(encode_gradient(format, std::vector<float>(count, 0.5F)).size() == encoded_size(format, count));
    }
  }
}

TEST_CASE("the bytes of each format are those that its description says", "[outer]") {
  const auto bytes = [](GradientFormat format, const std::vector<float>& values) {
    std::vector<int> numbers;
    for (const std::byte byte : encode_gradient(format, values)) numbers.push_back(std::to_integer<int>(byte));
    return numbers;
  };
  // 1 is 0x3F800000, -2 is 0xC0000000, 127 / 127 = 1.
  CHECK(bytes(GradientFormat::fp32, {1, -2}) == std::vector<int>{0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0});
  CHECK(bytes(GradientFormat::bf16, {1, -2}) == std::vector<int>{0x80, 0x3F, 0, 0xC0});
  CHECK(bytes(GradientFormat::int8, {127, -2, 3}) == std::vector<int>{0, 0, 0x80, 0x3F, 127, 256 - 2, 3});
  // A block with what is not finite: one number that is none, whatever the rest, so that bytes depend on nothing else.
  const std::vector<int> none{0, 0, 0xC0, 0x7F, 0, 0};
  CHECK(bytes(GradientFormat::int8, {std::numeric_limits<float>::infinity(), 1}) == none);
  CHECK(bytes(GradientFormat::int8, {1, from_bits(0xFF800001)}) == none);
}

TEST_CASE("fp32 comes back as it was", "[outer]") {
  const auto values = made_up();
  CHECK(round_trip(GradientFormat::fp32, values) == values);
}

TEST_CASE("bf16 rounds to nearest, and halves to even", "[outer]") {
  // Between 1 and 2 neighbours are 2^-7 apart.
  const std::vector<float> values{1 + 0x1p-8F,  1 + 0x1.8p-7F,  1 + 0x1p-8F + 0x1p-20F,
                                  -1 - 0x1p-8F, -1 - 0x1.8p-7F, 0x1.FFp0F,
                                  0x1.FEFp0F,   0.0F,           0x1p-149F};
  const std::vector<float> rounded{1, 1 + 0x1p-6F, 1 + 0x1p-7F, -1, -1 - 0x1p-6F, 2, 0x1.FEp0F, 0, 0};
  CHECK(round_trip(GradientFormat::bf16, values) == rounded);
  CHECK(round_trip(GradientFormat::bf16, rounded) == rounded);
}

TEST_CASE("int8 rounds to nearest, and halves to even", "[outer]") {
  const std::vector<float> values{127, 63.5F, 62.5F, -2.5F, -3.5F, 0.499F, -0.501F, -127};  // the scale is 1
  CHECK(round_trip(GradientFormat::int8, values) == std::vector<float>{127, 64, 62, -2, -4, 0, -1, -127});
}

TEST_CASE("an error in bf16 is at most 2^-8 of the value, from 1e-8 to 1e2", "[outer]") {
  const auto values = made_up();
  const auto rounded = round_trip(GradientFormat::bf16, values);
  double worst = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    worst = std::max(worst, std::abs(static_cast<double>(rounded[k]) - values[k]) / std::abs(values[k]));
  }
  CHECK(worst <= 0x1p-8);
  CHECK(worst > 0x1p-9);
}

TEST_CASE("an error in int8 is at most 1 / 254 of the block's largest value, from 1e-8 to 1e2", "[outer]") {
  const auto values = made_up();
  const auto rounded = round_trip(GradientFormat::int8, values);
  double worst = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    worst = std::max(worst, std::abs(static_cast<double>(rounded[k]) - values[k]) / largest_of_block(values, k));
  }
  // The scale is off by 2^-24 of itself, quotient and product by 127 x 2^-24 scales each: 510 x 2^-24 of half a scale.
  CHECK(worst <= (1 + 0x1p-15) / 254);
  CHECK(worst > 0.99 / 254);
}

TEST_CASE("errors are zero on average over many blocks", "[outer]") {
  const auto values = made_up();
  const double count = static_cast<double>(values.size());
  // In units of the distance of neighbours errors are spread evenly over [-1/2, 1/2]: deviation 1 / sqrt(12).
  const double bound = 4 / std::sqrt(12 * count);
  double bf16 = 0;
  double int8 = 0;
  const auto rounded = round_trip(GradientFormat::bf16, values);
  const auto levels = round_trip(GradientFormat::int8, values);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double value = values[k];
    bf16 += (rounded[k] - value) / std::ldexp(1.0, std::ilogb(value) - 7);
    int8 += (levels[k] - value) / (largest_of_block(values, k) / 127.0);
  }
  CHECK(std::abs(bf16 / count) < bound);
  CHECK(std::abs(int8 / count) < bound);
}

TEST_CASE("a block of zeros stays one, and what is too small for a scale becomes one", "[outer]") {
  CHECK(round_trip(GradientFormat::int8, std::vector<float>(70, 0.0F)) == std::vector<float>(70, 0.0F));
  CHECK(round_trip(GradientFormat::int8, std::vector<float>(70, 0x1p-149F)) == std::vector<float>(70, 0.0F));
  // 190 / 127 of the smallest float rounds to 1: the largest value is 190 scales, and is cut at 127.
  CHECK(round_trip(GradientFormat::int8, {190 * 0x1p-149F, -190 * 0x1p-149F}) ==
        std::vector<float>{127 * 0x1p-149F, -127 * 0x1p-149F});
}

TEST_CASE("a block's values do not depend on other blocks", "[outer]") {
  auto values = made_up();
  values.resize(130);
  const auto before = round_trip(GradientFormat::int8, values);
  values[129] = 1000;
  const auto after = round_trip(GradientFormat::int8, values);
  CHECK(std::equal(before.begin(), before.begin() + 128, after.begin()));
  CHECK(before[128] != after[128]);
}

TEST_CASE("what is not finite is found as diverged in every format, wherever it stands", "[outer]") {
  const float infinity = std::numeric_limits<float>::infinity();
  // Numbers that are none, too, whose upper half looks like infinity, or rounds over the sign to zero.
  for (const float bad : {infinity, -infinity, from_bits(0x7FC00000), from_bits(0x7F800001), from_bits(0xFFFFFFFF)}) {
    for (const GradientFormat format : kFormats) {
      for (const std::size_t place : {0U, 63U, 64U, 69U}) {
        std::vector<float> values(70, 0.25F);
        values[place] = bad;
        OuterAccumulator sum(values.size());
        CHECK_THROWS_WITH(sum.add(round_trip(format, values), 0.5, "path 3 in module 1.2"),
                          Catch::Contains("path 3 in module 1.2") && Catch::Contains("diverged"));
      }
    }
  }
}

TEST_CASE("bytes that are too few or too many for their values are a bug", "[outer]") {
  for (const GradientFormat format : kFormats) {
    const auto bytes = encode_gradient(format, std::vector<float>(65, 1.0F));
    CHECK_THROWS_AS(decode_gradient(format, bytes, 64), std::logic_error);
    CHECK_THROWS_AS(decode_gradient(format, bytes, 67), std::logic_error);
  }
}

}  // namespace dipaco

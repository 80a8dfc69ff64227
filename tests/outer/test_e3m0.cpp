#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "core/base/random.hpp"
#include "core/outer/gradient_format.hpp"

namespace dipaco {
namespace {

std::vector<float> back(const std::vector<float>& values) {
  return decode_gradient(GradientFormat::e3m0, encode_gradient(GradientFormat::e3m0, values), values.size());
}

std::vector<int> bytes(const std::vector<float>& values) {
  std::vector<int> numbers;
  for (const std::byte byte : encode_gradient(GradientFormat::e3m0, values)) {
    numbers.push_back(std::to_integer<int>(byte));
  }
  return numbers;
}

}  // namespace

TEST_CASE("e3m0 takes half a byte a value and a byte for each 256 of them", "[outer]") {
  const auto size = [](std::uint64_t count) { return encoded_size(GradientFormat::e3m0, count); };
  CHECK(size(1) == 2);
  CHECK(size(2) == 2);
  CHECK(size(255) == 129);
  CHECK(size(256) == 129);
  CHECK(size(257) == 131);
  CHECK(size(2560) == 1290);
  CHECK(size(25'600'000'000) == 12'900'000'000);
}

TEST_CASE("e3m0 writes the scale's exponent, then two values a byte, the first in the low half", "[outer]") {
  // The largest is 16, so the scale is 1; 16 is code 7, -1 is 8 + 3, 0.25 is 1, 2 is 4.
  CHECK(bytes({16, -1, 0.25F, 2, -16}) == std::vector<int>{127, 7 + 16 * 11, 1 + 16 * 4, 15});
  // The largest is 17: the scale is 2, and 17 / 2 is nearest to 8, code 6.
  CHECK(bytes({17}) == std::vector<int>{128, 6});
  CHECK(bytes({0, 0, 0}) == std::vector<int>{127, 0, 0});
  CHECK(bytes({1, std::nanf("")}) == std::vector<int>{255, 0});
}

TEST_CASE("e3m0 rounds to the nearest power of two or zero, at the middle to the even code", "[outer]") {
  const std::vector<float> values{16, 12.5F, 12, 6, 5.9F, 3, 1.5F, 0.75F, 0.375F, 0.3F, 0.126F, 0.125F, -0.1F, -9};
  const std::vector<float> rounded{16, 16, 8, 8, 4, 2, 2, 0.5F, 0.5F, 0.25F, 0.25F, 0, 0, -8};
  CHECK(back(values) == rounded);
  CHECK(back(rounded) == rounded);
}

TEST_CASE("e3m0 keeps the scale of each block, from 2^-129 to the largest floats", "[outer]") {
  for (const float largest : {0x1p-129F, 0x1p-126F, 0x1p-20F, 1.0F, 0x1p60F, 0x1p127F}) {
    CHECK(back({largest, -largest}) == std::vector<float>{largest, -largest});
  }
  CHECK(back({0x1p-149F, 0x1p-130F}) == std::vector<float>{0, 0});  // too small for any scale
  CHECK(back({0x1.FFFFFEp127F}) == std::vector<float>{0x1p127F});   // finite still
  std::vector<float> values(512, 0x1p-30F);
  values[511] = 1000;
  const auto after = back(values);
  CHECK(std::vector<float>(after.begin(), after.begin() + 256) == std::vector<float>(256, 0x1p-30F));
  CHECK(after[300] == 0);  // beside 1000 it is none
}

TEST_CASE("e3m0 is right on average where values are spread evenly between two powers of two", "[outer]") {
  std::vector<float> values;
  double sum = 0;
  double sum_back = 0;
  for (std::size_t k = 0; k < 25'600; ++k) values.push_back(static_cast<float>(1 + draw_uniform(1, Draw::jitter, k)));
  const auto rounded = back(values);
  for (std::size_t k = 0; k < values.size(); ++k) {
    sum += values[k];
    sum_back += rounded[k];
  }
  // Each is rounded to 1 or 2: a deviation of 1 / 2 at most, 0.003 of the mean of 25,600.
  CHECK(std::abs(sum_back - sum) / static_cast<double>(values.size()) < 4 * 0.5 / std::sqrt(25'600));
}

}  // namespace dipaco

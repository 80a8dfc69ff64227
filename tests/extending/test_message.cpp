// "A message" of docs/extending.md: a struct with its fields, and what follows from them.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/error.hpp"
#include "core/transport/fields.hpp"

namespace dipaco {
namespace {

/// Worker to coordinator: how fast it is at a path.
struct Speed {
  TaskId task;
  double steps_a_second = 0;
  std::string why;
  std::vector<NodeId> slower_than;
  Values losses;
  template <class A>
  void fields(A& a) {
    a(task.path, task.outer_step, steps_a_second, why, slower_than, losses);
  }
};

Speed made_up() {
  return {{PathId{3}, OuterStep{4}},
          2.5,
          "cold",
          {NodeId{1}, NodeId{7}},
          {std::make_shared<const std::vector<float>>(std::vector<float>{1, 2, 3}), 3}};
}

std::vector<std::byte> encoded(Speed message) {
  ByteWriter out;
  Encoder encoder(out);
  message.fields(encoder);
  return out.take();
}

Speed decoded(std::span<const std::byte> bytes) {
  ByteReader in(bytes, "test");
  Decoder decoder(in);
  Speed message;
  message.fields(decoder);
  return message;
}

}  // namespace

TEST_CASE("a message's encoding and size follow from its fields", "[extending]") {
  Speed message = made_up();
  const auto bytes = encoded(message);
  // Path and outer step, a double, a text, a list of two, and three floats with their number.
  CHECK(bytes.size() == 8 + 8 + (4 + 4) + (4 + 2 * 4) + (8 + 3 * 4));
  Sizer sizer;
  message.fields(sizer);
  CHECK(sizer.size + 0 == bytes.size() + 1);  // and the kind
  const Speed back = decoded(bytes);
  CHECK(back.task == message.task);
  CHECK(back.steps_a_second == 2.5);
  CHECK(back.why == "cold");
  CHECK(back.slower_than == message.slower_than);
  CHECK(*back.losses.data == std::vector<float>{1, 2, 3});
}

TEST_CASE("a message that is cut short is refused, wherever it ends", "[extending]") {
  const auto bytes = encoded(made_up());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK_THROWS_AS(decoded(std::span(bytes).first(size)), DataError);
  }
}

}  // namespace dipaco

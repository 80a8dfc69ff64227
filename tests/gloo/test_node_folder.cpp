#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>

#include "backends/gloo/node_folder.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco {

TEST_CASE("a node that is started again has the state that nobody else has, whatever its number", "[gloo]") {
  const TemporaryFolder folder;
  std::optional<NodeFolder> first(std::in_place, folder.path(), Role::store, "here");
  std::optional<NodeFolder> second(std::in_place, folder.path(), Role::store, "here");
  const Token key = second->key();
  CHECK(first->key() != key);
  second.reset();
  CHECK(NodeFolder(folder.path(), Role::store, "here").key() == key);
  first->remove();
  const NodeFolder again(folder.path(), Role::store, "here");
  CHECK(again.key() == key);
  CHECK(again.incarnation() == 2);
  CHECK(NodeFolder(folder.path(), Role::store, "there").key() != key);
}

}  // namespace dipaco

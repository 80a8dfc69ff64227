#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/includes/source_tree.hpp"

namespace fs = std::filesystem;
namespace house = dipaco::house;

namespace {

const fs::path kProject = DIPACO_SOURCE_DIR;
using Lines = std::vector<std::string>;

/// A source tree in a temporary folder, removed with the object.
class MadeUpTree {
 public:
  MadeUpTree() {
    for (const auto* file :
         {"core/base/a.hpp", "core/model/a.hpp", "core/trainer/a.hpp", "core/outer/a.hpp", "core/config/a.hpp",
          "core/roles/a.hpp", "core/prepare/a.hpp", "core/nn/a.hpp", "backends/sim/a.hpp", "backends/gloo/a.hpp",
          "backends/gloo/links/a.hpp", "backends/gloo/network/a.hpp", "analysis/a.hpp", "analysis/study/a.hpp",
          "analysis/page/a.hpp", "programs/shared/a.hpp", "programs/dipaco/a.hpp"}) {
      write(file, "");
    }
  }
  ~MadeUpTree() { fs::remove_all(root_); }
  MadeUpTree(const MadeUpTree&) = delete;
  MadeUpTree& operator=(const MadeUpTree&) = delete;

  const fs::path& root() const { return root_; }
  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  /// What is forbidden once `file` has this include line too.
  Lines with(const fs::path& file, const std::string& include) const {
    write(file, "#pragma once\n#include " + include + "\n");
    auto found = house::forbidden_includes(root_);
    write(file, "");
    return found;
  }

 private:
  fs::path root_ = make();
  static fs::path make() {
    auto name = (fs::temp_directory_path() / "dipaco-tree-XXXXXX").string();
    return fs::path(mkdtemp(name.data()));
  }
};

}  // namespace

TEST_CASE("no source file includes what its layer must not know", "[includes]") {
  CHECK(house::forbidden_includes(kProject) == Lines{});
}

TEST_CASE("no two headers define a type of one name", "[includes]") {
  CHECK(house::types_defined_twice(kProject) == Lines{});
  const MadeUpTree tree;
  tree.write("core/base/b.hpp", "struct Member {\nclass Node;\nclass Link final : public A {\n");
  tree.write("backends/sim/b.hpp", "class Node {\nclass Link {\n");
  CHECK(house::types_defined_twice(tree.root()) == Lines{"Link: backends/sim/b.hpp, core/base/b.hpp"});
}

TEST_CASE("no source file is longer than 300 lines", "[includes]") {
  CHECK(house::long_files(kProject, 300) == Lines{});
}

TEST_CASE("each .cpp file is named by the CMakeLists.txt beside it", "[includes]") {
  CHECK(house::unlisted_files(kProject) == Lines{});
}

TEST_CASE("an include of a lower layer, of one's own folder or of the same layer is allowed", "[includes]") {
  const MadeUpTree tree;
  CHECK(tree.with("core/roles/b.hpp", "\"core/base/a.hpp\"") == Lines{});
  CHECK(tree.with("core/roles/b.hpp", "\"core/roles/a.hpp\"") == Lines{});
  CHECK(tree.with("core/outer/b.hpp", "\"core/trainer/a.hpp\"") == Lines{});
  CHECK(tree.with("core/nn/b.hpp", "<torch/torch.h>") == Lines{});
  CHECK(tree.with("backends/gloo/links/b.hpp", "<gloo/context.h>") == Lines{});
  CHECK(tree.with("backends/gloo/b.hpp", "\"backends/gloo/links/a.hpp\"") == Lines{});
  CHECK(tree.with("programs/dipaco/b.hpp", "\"programs/shared/a.hpp\"") == Lines{});
  CHECK(tree.with("programs/dipaco_run/b.hpp", "\"backends/gloo/links/a.hpp\"") == Lines{});
  CHECK(tree.with("backends/sim/b.hpp", "<simgrid/s4u.hpp>") == Lines{});
  CHECK(tree.with("analysis/b.hpp", "\"core/base/a.hpp\"") == Lines{});
  CHECK(tree.with("analysis/study/b.hpp", "\"analysis/a.hpp\"") == Lines{});
  CHECK(tree.with("analysis/page/b.hpp", "\"analysis/a.hpp\"") == Lines{});
  CHECK(tree.with("analysis/page/b.hpp", "\"analysis/study/a.hpp\"") == Lines{});
}

TEST_CASE("an include that the layers forbid is found with its file, line and rule", "[includes]") {
  const MadeUpTree tree;
  CHECK(tree.with("core/base/b.hpp", "\"core/model/a.hpp\"") ==
        Lines{"core/base/b.hpp:2: core/model/a.hpp: core/base lies below core/model or beside it"});
  const auto forbidden = [&](const char* file, const char* include) { return tree.with(file, include).size() == 1; };
  CHECK(forbidden("core/trainer/b.hpp", "\"core/config/a.hpp\""));
  CHECK(forbidden("core/roles/b.hpp", "\"core/nn/a.hpp\""));
  CHECK(forbidden("core/nn/b.hpp", "\"core/roles/a.hpp\""));
  CHECK(forbidden("core/nn/b.hpp", "\"core/prepare/a.hpp\""));
  CHECK(forbidden("core/roles/b.hpp", "\"programs/shared/a.hpp\""));
  CHECK(forbidden("core/roles/b.hpp", "\"backends/sim/a.hpp\""));
  CHECK(forbidden("programs/shared/b.hpp", "\"analysis/a.hpp\""));
  CHECK(forbidden("programs/shared/b.hpp", "\"backends/sim/a.hpp\""));
  CHECK(forbidden("programs/dipaco_run/b.hpp", "\"programs/dipaco/a.hpp\""));
  CHECK(forbidden("core/roles/b.hpp", "<torch/torch.h>"));
  CHECK(forbidden("backends/sim/b.hpp", "<c10/core/Device.h>"));
  CHECK(forbidden("core/transport/b.hpp", "<simgrid/s4u.hpp>"));
  CHECK(forbidden("core/transport/b.hpp", "  \"gloo/context.h\""));
  CHECK(forbidden("backends/gloo/b.hpp", "\"backends/sim/a.hpp\""));
  CHECK(forbidden("programs/dipaco_run/b.hpp", "\"backends/sim/a.hpp\""));
  CHECK_FALSE(forbidden("programs/dipaco_run/b.hpp", "\"backends/gloo/a.hpp\""));
  CHECK(forbidden("analysis/b.hpp", "\"core/model/a.hpp\""));
  CHECK(forbidden("analysis/b.hpp", "\"analysis/study/a.hpp\""));
  CHECK(forbidden("analysis/b.hpp", "\"analysis/page/a.hpp\""));
  CHECK(forbidden("analysis/study/b.hpp", "\"analysis/page/a.hpp\""));
  CHECK(forbidden("analysis/page/b.hpp", "\"core/model/a.hpp\""));
  CHECK(forbidden("analysis/b.hpp", "\"backends/sim/a.hpp\""));
  CHECK(forbidden("core/base/b.hpp", "\"a.hpp\""));
  CHECK(forbidden("core/unheard_of/b.hpp", "\"core/base/a.hpp\""));
}

TEST_CASE("a folder inside a backend's includes those below it, and never one above it", "[includes]") {
  const MadeUpTree tree;
  CHECK(tree.with("backends/gloo/network/b.hpp", "\"backends/gloo/links/a.hpp\"") == Lines{});
  CHECK(tree.with("backends/gloo/b.hpp", "\"backends/gloo/network/a.hpp\"") == Lines{});
  CHECK(tree.with("backends/gloo/links/b.hpp", "\"core/base/a.hpp\"") == Lines{});
  CHECK(tree.with("backends/gloo/links/b.hpp", "<gloo/context.h>") == Lines{});
  CHECK(tree.with("backends/gloo/links/b.hpp", "\"backends/gloo/network/a.hpp\"") ==
        Lines{"backends/gloo/links/b.hpp:2: backends/gloo/network/a.hpp: backends/gloo/links lies below "
              "backends/gloo/network"});
  const auto forbidden = [&](const char* file, const char* include) { return tree.with(file, include).size() == 1; };
  CHECK(forbidden("backends/gloo/network/b.hpp", "\"backends/gloo/a.hpp\""));
  CHECK(forbidden("backends/gloo/unheard_of/b.hpp", "\"backends/gloo/links/a.hpp\""));
  CHECK(forbidden("backends/gloo/links/b.hpp", "\"backends/sim/a.hpp\""));
  CHECK(forbidden("backends/sim/b.hpp", "\"backends/gloo/links/a.hpp\""));
  CHECK(forbidden("backends/gloomy/b.hpp", "<gloo/context.h>"));
}

TEST_CASE("what a scenario says is read without SimGrid and without the rest of the simulator", "[includes]") {
  const MadeUpTree tree;
  tree.write("backends/sim/scenario/a.hpp", "");
  CHECK(tree.with("backends/sim/b.hpp", "\"backends/sim/scenario/a.hpp\"") == Lines{});
  CHECK(tree.with("backends/sim/scenario/b.hpp", "\"core/base/a.hpp\"") == Lines{});
  CHECK(tree.with("backends/sim/scenario/b.hpp", "\"backends/sim/a.hpp\"") ==
        Lines{"backends/sim/scenario/b.hpp:2: backends/sim/a.hpp: backends/sim/scenario lies below backends/sim"});
  CHECK(tree.with("backends/sim/scenario/b.hpp", "<simgrid/s4u.hpp>") ==
        Lines{"backends/sim/scenario/b.hpp:2: simgrid/s4u.hpp: backends/sim/scenario does without simgrid"});
}

TEST_CASE("two folders of one layer that include each other are found", "[includes]") {
  const MadeUpTree tree;
  tree.write("core/outer/b.hpp", "#include \"core/trainer/a.hpp\"\n");
  CHECK(tree.with("core/trainer/b.hpp", "\"core/outer/a.hpp\"") ==
        Lines{"core/trainer/b.hpp:2: core/outer/a.hpp: core/trainer and core/outer include each other"});
}

TEST_CASE("a file of 301 lines is found, one of 300 is not", "[includes]") {
  const MadeUpTree tree;
  tree.write("core/base/b.cpp", std::string(300, '\n'));
  CHECK(house::long_files(tree.root(), 300) == Lines{});
  tree.write("core/base/b.cpp", std::string(301, '\n'));
  CHECK(house::long_files(tree.root(), 300) == Lines{"core/base/b.cpp: 301 lines"});
}

TEST_CASE("a test that no CMakeLists.txt names is found", "[includes]") {
  const MadeUpTree tree;
  tree.write("tests/outer/CMakeLists.txt", "dipaco_test(outer FILES test_nesterov.cpp)\n");
  tree.write("tests/outer/test_nesterov.cpp", "");
  tree.write("tests/outer/test_forgotten.cpp", "");
  const auto found = house::unlisted_files(tree.root());
  CHECK(std::ranges::count(found, "tests/outer/test_forgotten.cpp") == 1);
  CHECK(std::ranges::count(found, "tests/outer/test_nesterov.cpp") == 0);
}

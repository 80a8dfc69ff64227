#include <dlfcn.h>

#include <catch2/catch.hpp>
#include <exception>
#include <filesystem>
#include <fstream>

#include "core/base/error.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {
namespace {

namespace fs = std::filesystem;

/// What lies in the place of the trainer's library, removed with the object. This program has no trainer beside it.
class InPlace {
 public:
  InPlace() { fs::create_directories(file.parent_path()); }
  ~InPlace() { fs::remove(file); }
  InPlace(const InPlace&) = delete;
  InPlace& operator=(const InPlace&) = delete;

  const fs::path file = fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib" / "libdipaco_nn.so";
};

// One case, as cases may run at once and share the place.
TEST_CASE("a trainer that is missing, damaged or none is an error that says where and what to do", "[trainer]") {
  CHECK_THROWS_AS(load_trainer({}), ConfigError);
  CHECK_THROWS_WITH(load_trainer({}), Catch::Contains("/bin/libdipaco_nn.so") &&
                                          Catch::Contains("/lib/libdipaco_nn.so") &&
                                          Catch::Contains("scripts/setup.sh"));
  const InPlace place;
  std::ofstream(place.file) << "no library";
  CHECK_THROWS_AS(load_trainer({}), ConfigError);
  CHECK_THROWS_WITH(load_trainer({}), Catch::Contains(place.file.string()) && Catch::Contains("scripts/setup.sh"));
  const fs::path script = place.file.parent_path() / "install_libtorch.sh";
  std::ofstream(script) << "";  // so an installed DiPaCo looks
  CHECK_THROWS_WITH(load_trainer({}), Catch::Contains("as root, run " + script.string()));
  fs::remove(script);
  fs::remove(place.file);
  Dl_info other{};
  REQUIRE(::dladdr(reinterpret_cast<const void*>(&std::terminate), &other) != 0);
  fs::create_symlink(fs::canonical(other.dli_fname), place.file);
  CHECK_THROWS_AS(load_trainer({}), ConfigError);
  CHECK_THROWS_WITH(load_trainer({}), Catch::Contains(place.file.string() + " is no trainer"));
}

}  // namespace
}  // namespace dipaco

#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/trainer/factory.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {
namespace {

constexpr const char* kLibrary = "libdipaco_nn.so";

/// Of a program in the build, and of an installed one.
std::vector<std::filesystem::path> places() {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::filesystem::path prefix = program.parent_path();
  return {program / kLibrary, prefix / "lib" / kLibrary, prefix / "lib/dipaco" / kLibrary};
}

/// Who must do what about a trainer that does not load.
std::string remedy(const std::filesystem::path& file) {
  const std::filesystem::path script = file.parent_path() / "install_libtorch.sh";
  if (!std::filesystem::exists(script)) return "run scripts/setup.sh and build again";
  return "learning needs LibTorch, which this package does not bring: as root, run " + script.string() +
         ", or run with --learn off";
}

std::string no_trainer() {
  std::string text = "no trainer at ";
  for (const auto& place : places()) text += place.string() + ", ";
  return text +
         "nor where this program's linker was told to look; run scripts/setup.sh and build with -DDIPACO_NN=ON, "
         "or run with --learn off";
}

MakeTrainer load(const std::filesystem::path& file) {
  // Local: LibTorch brings a second copy of Gloo, whose names must not win over the first. Never closed: LibTorch
  // leaves threads behind that run its code until the program ends.
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const std::string why = ::dlerror();
    if (file == kLibrary && why.starts_with(kLibrary)) throw ConfigError(no_trainer());
    throw ConfigError("cannot load the trainer: " + why + "; " + remedy(file));
  }
  void* const make = ::dlsym(library, kMakeTrainer);
  if (make == nullptr) throw ConfigError(file.string() + " is no trainer of this build; build again");
  return reinterpret_cast<MakeTrainer>(make);
}

}  // namespace

std::shared_ptr<const Trainer> load_trainer(const TrainerOptions& options) {
  std::filesystem::path file = kLibrary;  // by its name alone it is looked for along the program's RUNPATH
  for (const auto& place : places()) {
    if (file == kLibrary && std::filesystem::exists(place)) file = place;
  }
  return std::shared_ptr<const Trainer>(load(file)(options));
}

}  // namespace dipaco

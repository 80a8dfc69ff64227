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

std::vector<std::filesystem::path> places() {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return {program / kLibrary, program.parent_path() / "lib" / kLibrary};
}

MakeTrainer load(const std::filesystem::path& file) {
  // Local: LibTorch brings a second copy of Gloo, whose names must not win over the first. Never closed: LibTorch
  // leaves threads behind that run its code until the program ends.
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw ConfigError(std::string("cannot load the trainer: ") + ::dlerror() +
                      "; run scripts/setup.sh and build again");
  }
  void* const make = ::dlsym(library, kMakeTrainer);
  if (make == nullptr) throw ConfigError(file.string() + " is no trainer of this build; build again");
  return reinterpret_cast<MakeTrainer>(make);
}

}  // namespace

std::shared_ptr<const Trainer> load_trainer(const TrainerOptions& options) {
  const std::vector<std::filesystem::path> files = places();
  for (const auto& file : files) {
    if (std::filesystem::exists(file)) return std::shared_ptr<const Trainer>(load(file)(options));
  }
  throw ConfigError("no trainer at " + files[0].string() + " nor at " + files[1].string() +
                    "; run scripts/setup.sh and build with -DDIPACO_NN=ON, or run with --learn off");
}

}  // namespace dipaco

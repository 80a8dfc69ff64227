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

}  // namespace

std::shared_ptr<const Trainer> load_trainer(const TrainerOptions& options) {
  std::string tried;
  for (const auto& file : places()) {
    tried += (tried.empty() ? "" : " nor ") + file.string();
    if (!std::filesystem::exists(file)) continue;
    // Local: LibTorch brings a second copy of Gloo, whose names must not win over the first.
    void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
      throw ConfigError(std::string("cannot load the trainer: ") + ::dlerror() +
                        "; run scripts/setup.sh and build again");
    const auto make = reinterpret_cast<MakeTrainer>(::dlsym(library, kMakeTrainer));
    if (make == nullptr) throw ConfigError(file.string() + " is no trainer of this build; build again");
    // The library stays loaded for the rest of the program: LibTorch's threads do not end before it does.
    return std::shared_ptr<const Trainer>(make(options));
  }
  throw ConfigError("no trainer at " + tried +
                    "; build with -DDIPACO_NN=ON after scripts/setup.sh, or run with --learn off");
}

}  // namespace dipaco

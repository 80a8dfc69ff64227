#include "core/nn/device.hpp"

#include <dlfcn.h>

#include <charconv>
#include <filesystem>
#include <string_view>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

constexpr std::string_view kCuda = "cuda";

/// The I of cuda:I. @throws ConfigError where `device` is none
c10::DeviceIndex cuda_index(std::string_view device) {
  int index = 0;
  std::string_view number = device.substr(std::min(kCuda.size(), device.size()));
  bool fits = device.starts_with(kCuda) && (number.empty() || number.front() == ':');
  if (fits && !number.empty()) {
    number.remove_prefix(1);
    const auto [end, error] = std::from_chars(number.begin(), number.end(), index);
    fits = error == std::errc() && end == number.end() && index >= 0 && index < 128;
  }
  if (!fits) throw ConfigError("--device " + std::string(device) + " is unknown; write cpu, cuda or cuda:I");
  return static_cast<c10::DeviceIndex>(index);
}

/// It enters CUDA in LibTorch's tables as it is loaded.
void load_cuda() {
  Dl_info cpu{};
  if (::dladdr(reinterpret_cast<const void*>(&at::get_num_threads), &cpu) == 0)
    throw ConfigError("LibTorch is nowhere");
  const auto folder = std::filesystem::path(cpu.dli_fname).parent_path();
  const auto file = folder / "libtorch_cuda.so";
  if (!std::filesystem::exists(file)) {
    throw ConfigError("--device cuda: the LibTorch in " + folder.string() +
                      " is without CUDA; install a torch with CUDA, name its folder by DIPACO_TORCH_DIR, and build "
                      "again, or compute with --device cpu");
  }
  if (::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
    throw ConfigError(std::string("--device cuda: LibTorch's CUDA library does not load: ") + ::dlerror() +
                      "; install the CUDA libraries that it names, or compute with --device cpu");
  }
}

}  // namespace

Place open_place(const std::string& device, Kernels kernels) {
  if (device == "cpu") return {at::kCPU, kernels == Kernels::own};
  const c10::DeviceIndex index = cuda_index(device);
  load_cuda();
  const int count = c10::impl::VirtualGuardImpl(at::kCUDA).deviceCount();
  if (count == 0) throw ConfigError("--device " + device + ": no GPU, or no driver for it; see what nvidia-smi says");
  if (index >= count) {
    throw ConfigError("--device " + device + ": this machine has GPUs 0 to " + std::to_string(count - 1));
  }
  return {{at::kCUDA, index}, false};
}

std::string describe(const Place& place) {
  return place.device.is_cpu() ? "cpu " + at::get_cpu_capability() : std::string(kCuda);
}

}  // namespace dipaco

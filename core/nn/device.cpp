#include "core/nn/device.hpp"

#include <dlfcn.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

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

/// It enters CUDA in LibTorch's tables as it is loaded. Returns the folder of LibTorch's libraries.
std::filesystem::path load_cuda() {
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
  return folder;
}

/// "NVIDIA H200", as its driver says, which is loaded.
std::string name_of(c10::DeviceIndex index) {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  const auto name =
      driver == nullptr ? nullptr : reinterpret_cast<int (*)(char*, int, int)>(::dlsym(driver, "cuDeviceGetName"));
  std::array<char, 128> text{};
  if (name == nullptr || name(text.data(), static_cast<int>(text.size()) - 1, index) != 0) return "GPU";
  return text.data();
}

/// @param device  one of those of options.device, and no cpu
Place open_gpu(const TrainerOptions& options, const std::string& device) {
  const c10::DeviceIndex index = cuda_index(device);
  // cuBLAS reads it as it is opened, and promises equal bits where it is set.
  if (options.deterministic) ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/0);
  const std::filesystem::path libraries = load_cuda();
  const int count = c10::impl::VirtualGuardImpl(at::kCUDA).deviceCount();
  if (count == 0) {
    throw ConfigError("--device " + device + ": no GPU, or no driver for it; see what nvidia-smi says");
  }
  if (index >= count) {
    throw ConfigError("--device " + device + ": this machine has GPUs 0 to " + std::to_string(count - 1));
  }
  Place place{.device = {at::kCUDA, index}, .own_kernels = false, .fused = {}, .name = name_of(index)};
  if (options.deterministic) at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
  if (options.inner.precision == "bf16" && options.kernels == Kernels::own && fuses(options.model)) {
    place.fused = c10::make_intrusive<FusedKernels>(options.model, place.device, libraries.string());
  }
  return place;
}

}  // namespace

std::vector<Place> open_places(const TrainerOptions& options) {
  if (options.device == "cpu") return {{.device = at::kCPU, .own_kernels = options.kernels == Kernels::own}};
  std::vector<Place> places;
  std::vector<std::string> devices = split(options.device, ',');
  if (devices.empty()) devices.push_back(options.device);
  const std::string named = "--device " + options.device + ": ";
  if (std::ssize(devices) > options.inner.ranks) {
    throw ConfigError(named + std::to_string(devices.size()) +
                      " devices, and inner.ranks=" + std::to_string(options.inner.ranks) +
                      " uses fewer; write inner.ranks=" + std::to_string(devices.size()) +
                      ", which changes the result, or name fewer devices");
  }
  for (const std::string& device : devices) {
    if (device == "cpu") throw ConfigError(named + "cpu stands alone; --threads says how many cores");
    places.push_back(open_gpu(options, device));
    if (places.back().name == places.front().name) continue;
    throw ConfigError(named + "one is a " + places.front().name + ", another a " + places.back().name +
                      "; name devices of one kind for one worker");
  }
  return places;
}

std::string describe(const Place& place) {
  if (place.device.is_cpu()) return "cpu " + at::get_cpu_capability();
  return std::string(kCuda) + " " + place.name + (place.fused ? ", fused" : "");
}

}  // namespace dipaco

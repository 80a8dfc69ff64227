#include "core/nn/fused_kernels.hpp"

#include <dlfcn.h>

#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/model/layout.hpp"
#include "core/nn/fused_source.hpp"

namespace dipaco {
namespace {

constexpr std::array<const char*, FusedKernels::kNames> kEntries{
    "add_norm", "add_norm_gradient", "rotate", "rotate_gradient", "gate", "gate_gradient", "head_gradient"};

constexpr int kSuccess = 0;  // of both libraries

}  // namespace

/// What we call of NVRTC and of the driver, declared here: their headers come with a toolkit.
struct FusedKernels::Driver {
  explicit Driver(const std::string& torch);

  int (*create_program)(void** program, const char* source, const char* name, int headers, const char* const*,
                        const char* const*);
  int (*compile_program)(void* program, int options, const char* const* option);
  int (*log_size)(void* program, std::size_t* size);
  int (*log)(void* program, char* text);
  int (*code_size)(void* program, std::size_t* size);
  int (*code)(void* program, char* code);
  int (*destroy_program)(void** program);
  int (*attribute)(int* value, int attribute, int device);
  int (*load_module)(void** module, const void* code);
  int (*unload_module)(void* module);
  int (*find_function)(void** function, void* module, const char* name);
  int (*launch)(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned shared,
                void* stream, void** arguments, void** extra);

  std::vector<char> compile(const ModelOptions& model, at::Device device, int norm_warps) const;
};

FusedKernels::Driver::Driver(const std::string& torch) {
  // It names NVRTC and the driver, and knows where the former lies.
  void* const both = ::dlopen((torch + "/libcaffe2_nvrtc.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (both == nullptr) {
    throw ConfigError(std::string("--device cuda: LibTorch's compiler of kernels does not load: ") + ::dlerror() +
                      "; install the CUDA libraries that it names, or compute with --device cpu");
  }
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(both, name));
    if (function == nullptr) throw ConfigError(std::string("--device cuda: the CUDA libraries are without ") + name);
  };
  find(create_program, "nvrtcCreateProgram");
  find(compile_program, "nvrtcCompileProgram");
  find(log_size, "nvrtcGetProgramLogSize");
  find(log, "nvrtcGetProgramLog");
  find(code_size, "nvrtcGetCUBINSize");
  find(code, "nvrtcGetCUBIN");
  find(destroy_program, "nvrtcDestroyProgram");
  find(attribute, "cuDeviceGetAttribute");
  find(load_module, "cuModuleLoadData");
  find(unload_module, "cuModuleUnload");
  find(find_function, "cuModuleGetFunction");
  find(launch, "cuLaunchKernel");
}

std::vector<char> FusedKernels::Driver::compile(const ModelOptions& model, at::Device device, int norm_warps) const {
  constexpr int kMajor = 75, kMinor = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, _MINOR
  int major = 0, minor = 0;
  attribute(&major, kMajor, device.index());
  attribute(&minor, kMinor, device.index());
  const auto given = [](const char* name, std::int64_t value) {
    return std::string("-D") + name + "=" + std::to_string(value);
  };
  const std::vector<std::string> options{"--std=c++17",
                                         "--gpu-architecture=sm_" + std::to_string(10 * major + minor),
                                         given("HIDDEN", model.hidden),
                                         given("HEADS", model.heads),
                                         given("KEY_VALUE_HEADS", key_value_heads(model)),
                                         given("HEAD_SIZE", model.head_size),
                                         given("WIDTH", mlp_width(model)),
                                         given("CLASSES", model.vocabulary),
                                         given("NORM_WARPS", norm_warps)};
  std::vector<const char*> texts;
  for (const std::string& option : options) texts.push_back(option.c_str());
  void* program = nullptr;
  create_program(&program, kFusedSource, "fused_kernels.cu", 0, nullptr, nullptr);
  const bool compiled = compile_program(program, static_cast<int>(texts.size()), texts.data()) == kSuccess;
  std::size_t size = 0;
  (compiled ? code_size : log_size)(program, &size);
  std::vector<char> result(size);
  (compiled ? code : log)(program, result.data());
  destroy_program(&program);
  if (compiled) return result;
  throw ConfigError("--device cuda: our kernels do not compile for this GPU (" + options[1] +
                    "), as NVRTC says: " + std::string(result.begin(), result.end()) +
                    "; take a newer LibTorch, or compute with inner.precision=fp32");
}

FusedKernels::FusedKernels(const ModelOptions& model, at::Device device, const std::string& torch)
    : model_(model), device_(device), driver_(std::make_unique<const Driver>(torch)) {
  const at::DeviceGuard guard(device);
  at::empty({1}, at::TensorOptions(device));  // LibTorch takes hold of the GPU
  const std::vector<char> code = driver_->compile(model, device, norm_warps());
  check(driver_->load_module(&module_, code.data()) == kSuccess, "a GPU takes kernels that were compiled for it");
  for (std::size_t k = 0; k < kNames; ++k) {
    check(driver_->find_function(&functions_.at(k), module_, kEntries.at(k)) == kSuccess, kEntries.at(k));
  }
}

FusedKernels::~FusedKernels() { driver_->unload_module(module_); }

int FusedKernels::norm_warps() const {
  constexpr std::int64_t kSharedBytes = 48 << 10;  // what a block may have on any GPU
  return 4 * 4 * (model_.hidden + 128) <= kSharedBytes ? 4 : 1;
}

void FusedKernels::launch(Name name, std::int64_t blocks, int threads, std::span<void* const> arguments) const {
  if (blocks == 0) return;
  check(c10::impl::VirtualGuardImpl(at::kCUDA).getStream(device_).id() == 0,
        "kernels are started on the default stream");
  const int result =
      driver_->launch(functions_.at(static_cast<std::size_t>(name)), static_cast<unsigned>(blocks), 1, 1,
                      static_cast<unsigned>(threads), 1, 1, 0, nullptr, const_cast<void**>(arguments.data()), nullptr);
  check(result == kSuccess, std::string("the GPU refuses ") + kEntries.at(static_cast<std::size_t>(name)));
}

bool fuses(const ModelOptions& model) { return model.head_size % 8 == 0 && model.head_size <= 256; }

}  // namespace dipaco

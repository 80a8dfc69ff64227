#pragma once

#include <functional>
#include <string>
#include <vector>

namespace dipaco {

/// Kernels of one name.
struct DeviceWork {
  std::string name;
  double seconds = 0;
  long count = 0;
};

/// What a device did while `work` ran, as LibTorch's profiler saw it.
struct DeviceProfile {
  double span = 0;               ///< seconds from the first kernel's start to the last one's end
  double busy = 0;               ///< of these, in which at least one ran
  std::vector<DeviceWork> work;  ///< longest first
};
DeviceProfile profile(const std::function<void()>& work);

/// Most bytes that tensors held on `device` since this was asked for last; of a CPU, that the process ever held in all.
std::uint64_t peak_bytes(const std::string& device);

}  // namespace dipaco

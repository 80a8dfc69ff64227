#include "bench/device_profile.hpp"

#include <c10/core/CachingDeviceAllocator.h>
#include <sys/resource.h>
#include <torch/csrc/autograd/profiler_kineto.h>

#include <algorithm>
#include <map>
#include <utility>

namespace dipaco {

DeviceProfile profile(const std::function<void()>& work) {
  namespace impl = torch::profiler::impl;
  const impl::ProfilerConfig config(impl::ProfilerState::KINETO);
  const std::set<impl::ActivityType> activities{impl::ActivityType::CUDA};
  torch::autograd::profiler::prepareProfiler(config, activities);
  torch::autograd::profiler::enableProfiler(config, activities);
  work();
  const auto result = torch::autograd::profiler::disableProfiler();

  std::map<std::string, DeviceWork> by_name;
  std::vector<std::pair<double, double>> spans;
  for (const auto& event : result->events()) {
    if (event.deviceType() == at::kCPU || event.durationNs() == 0 || event.name().starts_with("Memcpy")) continue;
    const double seconds = 1e-9 * static_cast<double>(event.durationNs());
    const double start = 1e-9 * static_cast<double>(event.startNs() - result->trace_start_ns());
    spans.emplace_back(start, start + seconds);
    DeviceWork& of_name = by_name[event.name()];
    of_name.name = event.name();
    of_name.seconds += seconds;
    ++of_name.count;
  }
  DeviceProfile profile;
  std::sort(spans.begin(), spans.end());
  double end = spans.empty() ? 0 : spans.front().first;
  const double begin = end;
  for (const auto& [from, to] : spans) {
    profile.busy += std::max(0.0, to - std::max(from, end));
    end = std::max(end, to);
  }
  profile.span = end - begin;
  for (auto& [name, of_name] : by_name) profile.work.push_back(std::move(of_name));
  std::ranges::sort(profile.work, std::greater(), &DeviceWork::seconds);
  return profile;
}

std::uint64_t peak_bytes(const std::string& device) {
  const at::Device place(device);
  if (place.is_cpu()) {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  }
  c10::DeviceAllocator* const allocator = at::getDeviceAllocator(place.type());
  const c10::DeviceIndex index = place.has_index() ? place.index() : c10::DeviceIndex{0};
  const auto stats = allocator->getDeviceStats(index);
  allocator->resetPeakStats(index);
  return static_cast<std::uint64_t>(stats.allocated_bytes.at(0).peak);
}

}  // namespace dipaco

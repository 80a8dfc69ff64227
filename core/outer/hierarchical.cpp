#include "core/outer/hierarchical.hpp"

#include <algorithm>
#include <cstddef>

#include "core/base/error.hpp"
#include "core/outer/outer_gradient.hpp"

namespace dipaco {

std::vector<StateArray> OuterRegional::arrays() const {
  std::vector<StateArray> all = optimizer_->arrays();
  all.push_back({.name = "merge_point", .start = ArrayStart::parameters});
  return all;
}

void OuterRegional::step(const StepInfo& info, std::span<float> parameters, StateArrays state,
                         std::span<const float> direction) const {
  check(!state.empty() && state.back().size() == parameters.size(), "a merge point is as long as the parameters");
  optimizer_->step(info, parameters, state.first(state.size() - 1), direction);
  const Version made = next(info.version, 0);
  if (is_cut(info.version, info.merged) || !is_cut(made, info.merged)) return;
  std::ranges::copy(difference(false, parameters, state.back()), state.back().begin());
}

std::vector<float> OuterRegional::difference(bool cut, std::span<const float> parameters,
                                             std::span<const float> array) const {
  if (cut) return {array.begin(), array.end()};
  return outer_gradient(array, parameters);
}

void OuterRegional::merge(std::span<float> parameters, std::span<float> array, std::span<const float> global) const {
  check(parameters.size() == global.size() && parameters.size() == array.size(),
        "a regional part is as long as its global part");
  const double weight = merge_.weight;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    parameters[k] = static_cast<float>((1 - weight) * parameters[k] + weight * global[k]);
    array[k] = parameters[k];
  }
}

SyncPolicy hierarchical_policy(const AsynchronousOptions& options, const MergeOptions& merge) {
  SyncPolicy policy = asynchronous_policy(options);
  policy.name = "hierarchical";
  policy.merge = merge;
  return policy;
}

}  // namespace dipaco

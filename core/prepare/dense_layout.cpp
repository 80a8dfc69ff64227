#include "core/prepare/dense_layout.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/model/topology.hpp"

namespace dipaco {
namespace {

std::vector<float> reordered(const std::vector<float>& values, const PathLayout& from, const PathLayout& to) {
  std::map<std::string, const TensorSlot*> places;
  for (const TensorSlot& slot : from.slots) places[slot.name] = &slot;
  std::vector<float> out(to.size);
  for (const TensorSlot& slot : to.slots) {
    const auto found = places.find(slot.name);
    check(found != places.end() && found->second->size == slot.size, "both orders have the same tensors");
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(found->second->offset), slot.size,
                out.begin() + static_cast<std::ptrdiff_t>(slot.offset));
  }
  return out;
}

}  // namespace

PathLayout dense_layout(const ModelOptions& model) {
  Level all{.blocks = std::vector<std::int64_t>(static_cast<std::size_t>(model.blocks)),
            .embedding = true,
            .final_norm = true,
            .experts = 1};
  std::iota(all.blocks.begin(), all.blocks.end(), 0);
  return make_layout(model, Topology({all}, {0}));
}

bool same_order(const PathLayout& one, const PathLayout& other) {
  const auto equal = [](const TensorSlot& a, const TensorSlot& b) { return a.name == b.name && a.offset == b.offset; };
  return std::equal(one.slots.begin(), one.slots.end(), other.slots.begin(), other.slots.end(), equal);
}

TrainState reordered(const TrainState& state, const PathLayout& from, const PathLayout& to) {
  return {.parameters = reordered(state.parameters, from, to),
          .first_moment = reordered(state.first_moment, from, to),
          .second_moment = reordered(state.second_moment, from, to),
          .step = state.step};
}

}  // namespace dipaco

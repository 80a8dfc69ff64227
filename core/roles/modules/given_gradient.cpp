#include "core/roles/modules/given_gradient.hpp"

#include <utility>

namespace dipaco {
namespace {

OuterStep step_of(const OuterGradient& gradient) { return gradient.task.outer_step; }
/// In rounds the version that tasks begin with is their outer step.
OuterStep step_of(const GradientSum& sum) { return OuterStep{number(sum.base)}; }

}  // namespace

ModuleId GivenGradient::module() const {
  return std::visit([](const auto& of) { return of.module; }, what);
}

Version GivenGradient::base() const {
  return std::visit([](const auto& of) { return of.base; }, what);
}

Epoch GivenGradient::epoch() const {
  return std::visit([](const auto& of) { return of.epoch; }, what);
}

OuterStep GivenGradient::outer_step() const {
  return std::visit([](const auto& of) { return step_of(of); }, what);
}

std::optional<GivenGradient> given_gradient(NodeId from, Body& body) {
  if (auto* gradient = std::get_if<OuterGradient>(&body)) {
    const NodeId pushed_to = gradient->awaits == Awaits::push ? from : NodeId{-1};
    return GivenGradient{.what = std::move(*gradient), .pushed_to = pushed_to};
  }
  if (auto* relayed = std::get_if<RelayedGradient>(&body)) {
    return GivenGradient{.what = std::move(relayed->gradient), .relay = from, .number = relayed->number};
  }
  if (auto* sum = std::get_if<GradientSum>(&body)) {
    const std::uint64_t number = sum->number;
    return GivenGradient{.what = std::move(*sum), .relay = from, .number = number};
  }
  return std::nullopt;
}

}  // namespace dipaco

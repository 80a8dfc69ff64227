#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "core/transport/messages.hpp"

namespace dipaco {

/// What has come for the next version of a module: an outer gradient, or the sum of several.
struct GivenGradient {
  std::variant<OuterGradient, GradientSum> what;
  NodeId pushed_to{-1};      ///< is sent the next version unasked; -1: nobody
  NodeId relay{-1};          ///< is to hear when this is dealt with; -1: nobody
  std::uint64_t number = 0;  ///< by which it knows it
  bool told = false;         ///< it knows that this waits

  ModuleId module() const;
  Version base() const;
  Epoch epoch() const;
  /// Of the tasks that give it.
  OuterStep outer_step() const;
};

/// What a message brings; nullopt where it brings none.
std::optional<GivenGradient> given_gradient(NodeId from, Body& body);

}  // namespace dipaco

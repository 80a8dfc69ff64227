#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <variant>

#include "core/base/text.hpp"
#include "core/config/keys.hpp"

namespace dipaco::testing {

/// A value that the key allows, not the one that `config` has; "" where the key allows one value only.
inline std::string another_value(const RunKey& key, RunConfig config) {
  const std::string now = value_text(key, config);
  const auto halfway_to_low = [&key](double value) {
    const double low = std::max(key.allowed.low, 0.0);
    return low + (value - low) / 2;
  };
  return std::visit(
      [&](auto* slot) -> std::string {
        using T = std::remove_pointer_t<decltype(slot)>;
        if constexpr (std::is_same_v<T, bool>) return *slot ? "off" : "on";
        if constexpr (std::is_same_v<T, Seconds>) return format_number(slot->count() + 1) + "s";
        if constexpr (std::is_same_v<T, double>) return format_number(*slot == 0 ? 1e-5 : halfway_to_low(*slot));
        if (key.section == "inner" && key.name == "steps") return "1";  // what outer.policy=gradients asks for
        if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t>) {
          return std::to_string(*slot == 0 ? 64 : 2 * *slot);
        }
        if constexpr (std::is_same_v<T, std::string>) {
          if (key.name == "optimizer") return "adamw";  // the one that goes with outer.policy=gradients
          if (key.name == "levels") return "4x2";
          if (key.name == "reshard_at") return "2,5";
          if (key.name == "active_paths") return "1..2,3";
          if (key.section == "faults") {
            return std::string(key.name == "poison" ? "worker" : "store") + ":0@outer_step=1,path=0" +
                   (key.name == "kill" ? "" : ",for=2s");
          }
          if (key.name == "memory") return "72GiB";
          if (key.name == "path_specific") return "blocks:1;embedding";
          const auto choices = choices_of(key);
          if (choices.empty()) return "/elsewhere/a.txt";
          for (const std::string& choice : choices) {
            if (choice != now) return choice;
          }
        }
        return "";
      },
      key.slot(config));
}

}  // namespace dipaco::testing

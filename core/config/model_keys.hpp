#pragma once

#include <array>

#include "core/config/allowed.hpp"
#include "core/config/key.hpp"
#include "core/config/run_config.hpp"

namespace dipaco {

/// The keys of [model].
inline constexpr std::array kModelKeys{
    RunKey{"model", "blocks", [](RunConfig& c) -> Slot { return &c.model.blocks; }, at_least(1), Changes::parameters,
           "transformer blocks of a path"},
    RunKey{"model", "hidden", [](RunConfig& c) -> Slot { return &c.model.hidden; }, at_least(1), Changes::parameters,
           "width of the residual stream"},
    RunKey{"model", "heads", [](RunConfig& c) -> Slot { return &c.model.heads; }, at_least(1), Changes::parameters,
           "attention heads"},
    RunKey{"model", "key_value_heads", [](RunConfig& c) -> Slot { return &c.model.key_value_heads; },
           auto_or_at_least(1), Changes::parameters,
           "heads of keys and values, a divisor of `heads`; auto: as many as `heads`"},
    RunKey{"model", "head_size", [](RunConfig& c) -> Slot { return &c.model.head_size; }, at_least(2),
           Changes::parameters, "width of a head, even; need not be hidden / heads"},
    RunKey{"model", "mlp", [](RunConfig& c) -> Slot { return &c.model.mlp; }, auto_or_at_least(1), Changes::parameters,
           "width of the gated MLP; auto: it has as many parameters as a plain MLP of 4 x hidden"},
    RunKey{"model", "vocabulary", [](RunConfig& c) -> Slot { return &c.model.vocabulary; }, at_least(2),
           Changes::parameters, "tokens that the tokenizer knows"},
    RunKey{"model", "sequence", [](RunConfig& c) -> Slot { return &c.model.sequence; }, at_least(2),
           Changes::parameters, "positions of a training row"},
    RunKey{"model", "rope_base", [](RunConfig& c) -> Slot { return &c.model.rope_base; }, above(0), Changes::parameters,
           "base of the rotary positions"},
    RunKey{"model", "norm_epsilon", [](RunConfig& c) -> Slot { return &c.model.norm_epsilon; }, above(0),
           Changes::parameters, "added to the mean square in RMSNorm"},
};

}  // namespace dipaco

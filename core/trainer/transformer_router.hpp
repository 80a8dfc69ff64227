#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/trainer/trainer.hpp"

namespace dipaco {

// A transformer router (§2.4.3, §7.2.2) is the LM of a path with another head: the path's n parameters in the order of
// PathLayout, then the head [path_count, hidden], row-major, then its bias [path_count]. The head reads what the LM's
// head reads, the final norm of the last block's output at a position. Choice: the paper names no head; the LM's own,
// the embedding, stays as what embeds the tokens.

/// Parameters of a router over `path_count` paths whose LM has `n` of them.
std::size_t router_size(std::size_t n, std::int64_t hidden, std::int32_t path_count);

/// Where fine-tuning a router begins: the pretrained LM's `parameters` [n], the same as seed the paths, and no moments.
/// Choice: the head is zero, so that every path is as likely as any other and the first steps move the head alone.
TrainState router_start(std::span<const float> parameters, std::int64_t hidden, std::int32_t path_count);

}  // namespace dipaco

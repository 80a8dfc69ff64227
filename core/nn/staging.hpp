#pragma once

#include <span>
#include <vector>

#include "core/nn/device.hpp"

namespace dipaco {

/// Copies: the tensor [n] owns its memory, which on a CPU is 64-byte aligned, as equal bits ask for (MKL). To a GPU it
/// goes piece by piece through pinned memory on a stream of its own, so that copying one piece there and sending the
/// one before go on at once; what the calling thread starts on the GPU afterwards sees it whole.
at::Tensor to_tensor(std::span<const float> values, const Place& place);

/// The way back, of any device: waits for what has been started there. REQUIRES as many numbers as the tensor has.
void copy_to(std::span<float> values, const at::Tensor& tensor);
std::vector<float> to_vector(const at::Tensor& tensor);

}  // namespace dipaco

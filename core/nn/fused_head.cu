// Goes on where fused_kernels.cu ends, with what is defined there.

// ---- The head: a block a row of logits [n, CLASSES], which become their gradient, (softmax - 1 at the target) * scale.

constexpr int kHeadPack = CLASSES % 8 == 0 ? 8 : 1;
constexpr int kHeadThreads = 512;

// `all` of every warp's number, given to each thread.
template <class All>
__device__ float across_block(float x, All all) {
  __shared__ float of_warps[kHeadThreads / 32];
  __syncthreads();
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = x;
  __syncthreads();
  return all(of_warps[threadIdx.x % (kHeadThreads / 32)]);
}

extern "C" __global__ void head_gradient(Bf16* logits, const long long* targets, float scale, float* nats) {
  Bf16* const row = logits + static_cast<long long>(blockIdx.x) * CLASSES;
  const long long target = targets[blockIdx.x];
  float largest = -__int_as_float(0x7f800000);
  float sum = 0;
  for (int column = threadIdx.x * kHeadPack; column < CLASSES; column += kHeadThreads * kHeadPack) {
    const Pack<Bf16, kHeadPack> pack = load<kHeadPack>(row + column);
    float here = to_float(pack.at[0]);
    for (int k = 1; k < kHeadPack; ++k) here = fmaxf(here, to_float(pack.at[k]));
    if (here > largest) {
      sum *= __expf(largest - here);
      largest = here;
    }
    for (int k = 0; k < kHeadPack; ++k) sum += __expf(to_float(pack.at[k]) - largest);
  }
  // 16 warps: both halves of a warp see all of them.
  const auto max16 = [](float x) { return warp_max(x); };
  const auto sum16 = [](float x) { return warp_sum(x) / 2; };
  const float top = across_block(warp_max(largest), max16);
  const float total = across_block(warp_sum(sum * __expf(largest - top)), sum16);
  const float at_target = to_float(row[target]);
  __syncthreads();  // before it is overwritten
  if (threadIdx.x == 0) nats[blockIdx.x] = logf(total) + top - at_target;
  const float factor = scale / total;
  for (int column = threadIdx.x * kHeadPack; column < CLASSES; column += kHeadThreads * kHeadPack) {
    Pack<Bf16, kHeadPack> pack = load<kHeadPack>(row + column);
    for (int k = 0; k < kHeadPack; ++k) {
      const float gradient = __expf(to_float(pack.at[k]) - top) * factor;
      pack.at[k] = to_bf16(column + k == target ? gradient - scale : gradient);
    }
    store(row + column, pack);
  }
}

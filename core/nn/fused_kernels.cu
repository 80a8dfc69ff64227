// What a path in bf16 does between its matrix products, each in one pass over memory. Compiled when a GPU is opened
// (fused_kernels.hpp), for one model: HIDDEN, HEADS, KEY_VALUE_HEADS, HEAD_SIZE, WIDTH (of the MLP), CLASSES and the
// warps of a block, NORM_WARPS, are given.
// Sums have an order of their own that no launch changes: results depend on inputs and GPU alone.

typedef unsigned short Bf16;  // its bits; numbers are worked with as floats

__device__ float to_float(Bf16 x) { return __uint_as_float(static_cast<unsigned>(x) << 16); }

__device__ Bf16 to_bf16(float x) {
  const unsigned bits = __float_as_uint(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;  // not a number
  return static_cast<Bf16>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);  // to the nearest, ties to even
}

// N numbers that one instruction loads or stores.
template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
  T at[N];
};

template <int N, class T>
__device__ Pack<T, N> load(const T* from) {
  return *reinterpret_cast<const Pack<T, N>*>(from);
}
// By one instruction: left to itself, the compiler has been seen to take 16 bytes apart, at three times the time.
template <int N, class T>
__device__ void store(T* to, const Pack<T, N>& pack) {
  if constexpr (sizeof(pack) == 16) {
    uint4 word;
    memcpy(&word, &pack, sizeof(word));
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(word.x), "r"(word.y), "r"(word.z),
                 "r"(word.w)
                 : "memory");
  } else if constexpr (sizeof(pack) == 8) {
    uint2 word;
    memcpy(&word, &pack, sizeof(word));
    asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(word.x), "r"(word.y) : "memory");
  } else {
    *reinterpret_cast<Pack<T, N>*>(to) = pack;
  }
}

__device__ float warp_sum(float x) {
  for (int offset = 16; offset > 0; offset /= 2) x += __shfl_xor_sync(0xffffffffu, x, offset);
  return x;
}
__device__ float warp_max(float x) {
  for (int offset = 16; offset > 0; offset /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, offset));
  return x;
}

// ---- RMSNorm: a warp a row, lanes take kPack numbers each in turn.

constexpr int kNormPack = HIDDEN % 128 == 0 ? 4 : 1;
constexpr int kNormTurns = (HIDDEN + 32 * kNormPack - 1) / (32 * kNormPack);

__device__ int norm_column(int turn) { return (turn * 32 + static_cast<int>(threadIdx.x % 32)) * kNormPack; }

// sum [n, HIDDEN] = x + added, y = sum * inverse * weight, inverse [n] = 1 / sqrt(mean of sum squared + epsilon).
// Without `added`, sum is x and not written.
extern "C" __global__ void add_norm(long long n, const float* x, const Bf16* added, const float* weight, float epsilon,
                                    float* sum, Bf16* y, float* inverse) {
  const long long row = static_cast<long long>(blockIdx.x) * NORM_WARPS + threadIdx.x / 32;
  if (row >= n) return;
  float values[kNormTurns * kNormPack];
  float squares = 0;
#pragma unroll
  for (int turn = 0; turn < kNormTurns; ++turn) {
    const int column = norm_column(turn);
    if (column >= HIDDEN) break;
    Pack<float, kNormPack> pack = load<kNormPack>(x + row * HIDDEN + column);
    if (added != nullptr) {
      const Pack<Bf16, kNormPack> other = load<kNormPack>(added + row * HIDDEN + column);
      for (int k = 0; k < kNormPack; ++k) pack.at[k] += to_float(other.at[k]);
      store(sum + row * HIDDEN + column, pack);
    }
    for (int k = 0; k < kNormPack; ++k) {
      values[turn * kNormPack + k] = pack.at[k];
      squares += pack.at[k] * pack.at[k];
    }
  }
  const float scale = rsqrtf(warp_sum(squares) / HIDDEN + epsilon);
  if (threadIdx.x % 32 == 0) inverse[row] = scale;
#pragma unroll
  for (int turn = 0; turn < kNormTurns; ++turn) {
    const int column = norm_column(turn);
    if (column >= HIDDEN) break;
    const Pack<float, kNormPack> w = load<kNormPack>(weight + column);
    Pack<Bf16, kNormPack> out;
    for (int k = 0; k < kNormPack; ++k) out.at[k] = to_bf16(values[turn * kNormPack + k] * scale * w.at[k]);
    store(y + row * HIDDEN + column, out);
  }
}

// From the gradients of y and of sum (null: none) that of x, and, where `added_gradient` is there, the same in bf16.
// Each block adds its rows' part of the weight's gradient up: weight_parts [blocks, HIDDEN].
extern "C" __global__ void add_norm_gradient(long long n, const float* sum, const float* weight, const float* inverse,
                                             const Bf16* y_gradient, const float* sum_gradient, float* x_gradient,
                                             Bf16* added_gradient, float* weight_parts) {
  const int warp = threadIdx.x / 32;
  float of_weight[kNormTurns * kNormPack];
#pragma unroll
  for (int k = 0; k < kNormTurns * kNormPack; ++k) of_weight[k] = 0;
  for (long long row = static_cast<long long>(blockIdx.x) * NORM_WARPS + warp; row < n;
       row += static_cast<long long>(gridDim.x) * NORM_WARPS) {
    const float scale = inverse[row];
    float values[kNormTurns * kNormPack];     // sum
    float gradients[kNormTurns * kNormPack];  // of y
    float dot = 0;
#pragma unroll
    for (int turn = 0; turn < kNormTurns; ++turn) {
      const int column = norm_column(turn);
      if (column >= HIDDEN) break;
      const Pack<float, kNormPack> value = load<kNormPack>(sum + row * HIDDEN + column);
      const Pack<Bf16, kNormPack> gradient = load<kNormPack>(y_gradient + row * HIDDEN + column);
      const Pack<float, kNormPack> w = load<kNormPack>(weight + column);
      for (int k = 0; k < kNormPack; ++k) {
        const int at = turn * kNormPack + k;
        values[at] = value.at[k];
        gradients[at] = to_float(gradient.at[k]);
        dot += gradients[at] * w.at[k] * values[at];
      }
    }
    const float along = warp_sum(dot) * scale * scale * scale / HIDDEN;
#pragma unroll
    for (int turn = 0; turn < kNormTurns; ++turn) {
      const int column = norm_column(turn);
      if (column >= HIDDEN) break;
      const Pack<float, kNormPack> w = load<kNormPack>(weight + column);
      Pack<float, kNormPack> out;
      Pack<Bf16, kNormPack> rounded;
      if (sum_gradient != nullptr) out = load<kNormPack>(sum_gradient + row * HIDDEN + column);
      for (int k = 0; k < kNormPack; ++k) {
        const int at = turn * kNormPack + k;
        const float own = gradients[at] * w.at[k] * scale - values[at] * along;
        out.at[k] = sum_gradient != nullptr ? out.at[k] + own : own;
        rounded.at[k] = to_bf16(out.at[k]);
        of_weight[at] += gradients[at] * values[at] * scale;
      }
      store(x_gradient + row * HIDDEN + column, out);
      if (added_gradient != nullptr) store(added_gradient + row * HIDDEN + column, rounded);
    }
  }
  __shared__ float parts[NORM_WARPS][kNormTurns * kNormPack * 32];
#pragma unroll
  for (int turn = 0; turn < kNormTurns; ++turn) {
    for (int k = 0; k < kNormPack; ++k) {
      parts[warp][norm_column(turn) + k] = of_weight[turn * kNormPack + k];
    }
  }
  __syncthreads();
  for (int column = threadIdx.x; column < HIDDEN; column += blockDim.x) {
    float part = 0;
    for (int w = 0; w < NORM_WARPS; ++w) part += parts[w][column];
    weight_parts[static_cast<long long>(blockIdx.x) * HIDDEN + column] = part;
  }
}

// ---- Rotary positions: a thread turns kTurnPack numbers of a head's first half with those of its second.

constexpr int kHalf = HEAD_SIZE / 2;
constexpr int kTurnPack = kHalf % 8 == 0 ? 8 : 1;
constexpr int kAngles = kTurnPack == 8 ? 4 : 1;  // that one load takes
constexpr int kTurnsOfHead = kHalf / kTurnPack;
constexpr int kTurned = HEADS + KEY_VALUE_HEADS;      // queries, then keys
constexpr int kStacked = HEADS + 2 * KEY_VALUE_HEADS;  // values behind them

// `direction` -1: back.
__device__ void turn(const Bf16* from, Bf16* to, const float* cosines, const float* sines, float direction) {
  const Pack<Bf16, kTurnPack> a = load<kTurnPack>(from), b = load<kTurnPack>(from + kHalf);
  Pack<float, kAngles> c = load<kAngles>(cosines), s = load<kAngles>(sines);
  Pack<Bf16, kTurnPack> first, second;
#pragma unroll
  for (int k = 0; k < kTurnPack; ++k) {
    if (k > 0 && k % kAngles == 0) {
      c = load<kAngles>(cosines + k);
      s = load<kAngles>(sines + k);
    }
    const float x = to_float(a.at[k]), y = to_float(b.at[k]), sine = direction * s.at[k % kAngles];
    first.at[k] = to_bf16(x * c.at[k % kAngles] - y * sine);
    second.at[k] = to_bf16(y * c.at[k % kAngles] + x * sine);
  }
  store(to, first);
  store(to + kHalf, second);
}

// Where a thread works: a position, a head of the stacked ones, and the first column in it. Heads of one part lie side
// by side in a tensor of their own, too: `apart` is the element there.
struct Place {
  long long row;
  int head;
  int column;

  __device__ Place() {
    const unsigned of_row = kStacked * kTurnsOfHead;
    const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    row = id / of_row;
    const unsigned rest = id % of_row;
    head = static_cast<int>(rest / kTurnsOfHead);
    column = static_cast<int>(rest % kTurnsOfHead) * kTurnPack;
  }
  __device__ long long stacked() const { return (row * kStacked + head) * HEAD_SIZE + column; }
  __device__ long long apart(int first, int heads) const { return (row * heads + head - first) * HEAD_SIZE + column; }
  __device__ long long angle() const { return row * kHalf + column; }
};

// qkv [n, kStacked * HEAD_SIZE] taken apart, each part [n, its heads * HEAD_SIZE]: queries and keys are turned.
extern "C" __global__ void rotate(long long n, const Bf16* qkv, const float* cosines, const float* sines, Bf16* queries,
                                  Bf16* keys, Bf16* values) {
  const Place at;
  if (at.row >= n) return;
  const Bf16* const from = qkv + at.stacked();
  if (at.head >= kTurned) {
    Bf16* const to = values + at.apart(kTurned, KEY_VALUE_HEADS);
    store(to, load<kTurnPack>(from));
    store(to + kHalf, load<kTurnPack>(from + kHalf));
    return;
  }
  turn(from, at.head < HEADS ? queries + at.apart(0, HEADS) : keys + at.apart(HEADS, KEY_VALUE_HEADS),
       cosines + at.angle(), sines + at.angle(), 1);
}

// The gradient of qkv from those of the parts.
extern "C" __global__ void rotate_gradient(long long n, const Bf16* queries, const Bf16* keys, const Bf16* values,
                                           const float* cosines, const float* sines, Bf16* qkv) {
  const Place at;
  if (at.row >= n) return;
  Bf16* const to = qkv + at.stacked();
  if (at.head >= kTurned) {
    const Bf16* const from = values + at.apart(kTurned, KEY_VALUE_HEADS);
    store(to, load<kTurnPack>(from));
    store(to + kHalf, load<kTurnPack>(from + kHalf));
    return;
  }
  turn(at.head < HEADS ? queries + at.apart(0, HEADS) : keys + at.apart(HEADS, KEY_VALUE_HEADS), to,
       cosines + at.angle(), sines + at.angle(), -1);
}

// ---- The gated MLP: silu(gate) * up of gate_up [n, 2 * WIDTH], gate first.

constexpr int kGatePack = WIDTH % 8 == 0 ? 8 : 1;

extern "C" __global__ void gate(long long n, const Bf16* gate_up, Bf16* out) {
  const long long id = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long row = id / (WIDTH / kGatePack);
  if (row >= n) return;
  const int column = static_cast<int>(id % (WIDTH / kGatePack)) * kGatePack;
  const Bf16* const from = gate_up + row * (2 * WIDTH) + column;
  const Pack<Bf16, kGatePack> gates = load<kGatePack>(from), ups = load<kGatePack>(from + WIDTH);
  Pack<Bf16, kGatePack> result;
  for (int k = 0; k < kGatePack; ++k) {
    const float g = to_float(gates.at[k]);
    result.at[k] = to_bf16(g / (1 + __expf(-g)) * to_float(ups.at[k]));
  }
  store(out + row * WIDTH + column, result);
}

extern "C" __global__ void gate_gradient(long long n, const Bf16* gate_up, const Bf16* out_gradient, Bf16* gradient) {
  const long long id = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long row = id / (WIDTH / kGatePack);
  if (row >= n) return;
  const int column = static_cast<int>(id % (WIDTH / kGatePack)) * kGatePack;
  const long long at = row * (2 * WIDTH) + column;
  const Pack<Bf16, kGatePack> gates = load<kGatePack>(gate_up + at), ups = load<kGatePack>(gate_up + at + WIDTH);
  const Pack<Bf16, kGatePack> outs = load<kGatePack>(out_gradient + row * WIDTH + column);
  Pack<Bf16, kGatePack> of_gate, of_up;
  for (int k = 0; k < kGatePack; ++k) {
    const float g = to_float(gates.at[k]), up = to_float(ups.at[k]), out = to_float(outs.at[k]);
    const float sigmoid = 1 / (1 + __expf(-g));
    of_gate.at[k] = to_bf16(out * up * sigmoid * (1 + g * (1 - sigmoid)));
    of_up.at[k] = to_bf16(out * g * sigmoid);
  }
  store(gradient + at, of_gate);
  store(gradient + at + WIDTH, of_up);
}

#include "core/nn/staging.hpp"

#include <algorithm>
#include <array>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

/// Floats of a piece: 16 MiB, long enough that starting a copy costs nothing beside it.
constexpr std::int64_t kPiece = std::int64_t{4} << 20;

/// Two pieces of pinned memory and the stream that copies between them and a GPU.
class Stage {
 public:
  explicit Stage(at::Device device)
      : guard_(device),
        kind_(device.type()),
        stream_(kind_.getStreamFromGlobalPool(device)),
        current_(kind_.getStream(device)),
        pieces_{pinned(), pinned()},
        copied_{c10::Event(device.type()), c10::Event(device.type())} {
    // Memory of a new tensor may be that of one which the thread's own stream still works on.
    c10::Event begun(device.type());
    begun.record(current_);
    begun.block(stream_);
  }

  void upload(std::span<const float> from, const at::Tensor& to) {
    for_each_piece(to.numel(), [&](std::size_t k, std::int64_t first, std::int64_t count) {
      copied_[k].synchronize();
      std::copy_n(from.begin() + first, count, pieces_[k].mutable_data_ptr<float>());
      copy(to.narrow(0, first, count), pieces_[k].narrow(0, 0, count), k);
    });
    for (const c10::Event& copied : copied_) copied.block(current_);
  }

  void download(const at::Tensor& from, std::span<float> to) {
    const auto finish = [&](std::size_t k, std::int64_t first, std::int64_t count) {
      copied_[k].synchronize();
      std::copy_n(pieces_[k].const_data_ptr<float>(), count, to.begin() + first);
    };
    const std::int64_t all = from.numel();
    for_each_piece(all, [&](std::size_t k, std::int64_t first, std::int64_t count) {
      copy(pieces_[k].narrow(0, 0, count), from.narrow(0, first, count), k);
      if (first > 0) finish(1 - k, first - kPiece, kPiece);
    });
    if (all > 0) finish(last_piece(all), last_first(all), all - last_first(all));
  }

 private:
  static at::Tensor pinned() { return at::empty({kPiece}, at::TensorOptions(at::kFloat).pinned_memory(true)); }
  static std::int64_t last_first(std::int64_t all) { return (all - 1) / kPiece * kPiece; }
  static std::size_t last_piece(std::int64_t all) { return static_cast<std::size_t>((all - 1) / kPiece % 2); }

  template <class Work>
  static void for_each_piece(std::int64_t all, Work work) {
    for (std::int64_t first = 0; first < all; first += kPiece) {
      work(static_cast<std::size_t>(first / kPiece % 2), first, std::min(kPiece, all - first));
    }
  }

  void copy(const at::Tensor& to, const at::Tensor& from, std::size_t k) {
    const c10::StreamGuard on_side(stream_);
    to.copy_(from, /*non_blocking=*/true);
    copied_[k].record(stream_);
  }

  c10::DeviceGuard guard_;
  c10::impl::VirtualGuardImpl kind_;
  c10::Stream stream_;
  c10::Stream current_;  ///< the calling thread's
  std::array<at::Tensor, 2> pieces_;
  std::array<c10::Event, 2> copied_;  ///< what was last copied from or to each piece
};

}  // namespace

at::Tensor to_tensor(std::span<const float> values, const Place& place) {
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(values.size())}, place.floats());
  if (place.device.is_cpu()) {
    std::ranges::copy(values, tensor.mutable_data_ptr<float>());
  } else {
    Stage(place.device).upload(values, tensor);
  }
  return tensor;
}

void copy_to(std::span<float> values, const at::Tensor& tensor) {
  const at::Tensor dense = tensor.contiguous().view({-1});
  check(dense.numel() == std::ssize(values), "a tensor is copied to as many numbers");
  if (dense.is_cpu()) {
    std::copy_n(dense.const_data_ptr<float>(), dense.numel(), values.begin());
  } else {
    Stage(dense.device()).download(dense, values);
  }
}

std::vector<float> to_vector(const at::Tensor& tensor) {
  std::vector<float> values(static_cast<std::size_t>(tensor.numel()));
  copy_to(values, tensor);
  return values;
}

}  // namespace dipaco

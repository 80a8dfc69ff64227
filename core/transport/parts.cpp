#include "core/transport/parts.hpp"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"

namespace dipaco {

template <class T>
std::shared_ptr<std::vector<T>> SpareArrays::take(std::size_t items) {
  std::vector<T> found;
  {
    const std::lock_guard lock(mutex_);
    auto& spare = std::get<std::deque<std::vector<T>>>(spare_);
    const auto fitting = std::ranges::find(spare, items, &std::vector<T>::size);
    if (fitting != spare.end()) {
      found = std::move(*fitting);
      spare.erase(fitting);
      kept_ -= items * sizeof(T);
    }
  }
  found.reserve(items);
  const auto done = [home = weak_from_this()](std::vector<T>* used) {
    const std::unique_ptr<std::vector<T>> owned(used);
    if (const auto pool = home.lock()) pool->give_back(std::move(*owned));
  };
  return {new std::vector<T>(std::move(found)), done};
}

template <class T>
void SpareArrays::give_back(std::vector<T> items) {
  if (items.size() < items.capacity()) return;  // it did not come whole
  std::deque<std::vector<T>> too_much;          // freed behind the lock
  const std::lock_guard lock(mutex_);
  auto& spare = std::get<std::deque<std::vector<T>>>(spare_);
  kept_ += items.size() * sizeof(T);
  spare.push_back(std::move(items));
  while (kept_ > most_ && spare.size() > 1) {
    kept_ -= spare.front().size() * sizeof(T);
    too_much.push_back(std::move(spare.front()));
    spare.pop_front();
  }
}

ReceivedArray::ReceivedArray(ItemKind kind, std::uint64_t bytes, SpareArrays& spare) {
  if (kind == ItemKind::floats) {
    check(bytes % sizeof(float) == 0, "an array of floats has whole ones");
    items_ = spare.take<float>(bytes / sizeof(float));
  } else {
    items_ = spare.take<std::byte>(bytes);
  }
}

std::span<std::byte> ReceivedArray::extend(std::size_t bytes) {
  return std::visit(
      [&](auto& items) {
        const std::size_t before = filled_;
        filled_ += bytes / sizeof(items->front());
        check(filled_ <= items->capacity(), "an array stays where it lies");
        if (items->size() < filled_) items->resize(filled_);
        return std::as_writable_bytes(std::span(*items).subspan(before, filled_ - before));
      },
      items_);
}

template std::shared_ptr<std::vector<float>> SpareArrays::take(std::size_t items);
template std::shared_ptr<std::vector<std::byte>> SpareArrays::take(std::size_t items);

}  // namespace dipaco

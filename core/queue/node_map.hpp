#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/ids.hpp"

namespace dipaco {

/// Values by node, in the order of their numbers, in one piece of memory: a walk over the 10,000 machines of a fleet
/// takes a fraction of what it takes over a std::map. Finding one takes as long however many there are; to insert or
/// erase one takes as long as there are nodes behind it.
template <class T>
class NodeMap {
 public:
  using Item = std::pair<NodeId, T>;

  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  std::size_t size() const { return items_.size(); }
  bool contains(NodeId node) const { return find(node) != nullptr; }
  /// nullptr: it is not there.
  const T* find(NodeId node) const {
    const std::size_t at = number_of(node);
    return at < places_.size() && places_[at] >= 0 ? &items_[static_cast<std::size_t>(places_[at])].second : nullptr;
  }
  T* find(NodeId node) { return const_cast<T*>(std::as_const(*this).find(node)); }
  /// @throws std::logic_error where it is not there
  const T& at(NodeId node) const {
    const T* const found = find(node);
    check(found != nullptr, "the node is one of those that are known");
    return *found;
  }
  T& at(NodeId node) { return const_cast<T&>(std::as_const(*this).at(node)); }
  /// @throws std::logic_error where it is there
  T& insert(NodeId node, T value) {
    check(index(node) >= 0 && !contains(node), "a node is inserted once");
    const auto place = std::ranges::lower_bound(items_, node, {}, &Item::first);
    const auto from = place - items_.begin();
    items_.insert(place, {node, std::move(value)});
    places_.resize(std::max(places_.size(), number_of(node) + 1), -1);
    number_from(from);
    return items_[static_cast<std::size_t>(from)].second;
  }
  /// Nothing happens where it is not there.
  void erase(NodeId node) {
    if (!contains(node)) return;
    const std::ptrdiff_t from = std::exchange(places_[number_of(node)], -1);
    items_.erase(items_.begin() + from);
    number_from(from);
  }

 private:
  static std::size_t number_of(NodeId node) { return static_cast<std::size_t>(index(node)); }
  void number_from(std::ptrdiff_t first) {
    for (std::ptrdiff_t k = first; k < std::ssize(items_); ++k) {
      places_[number_of(items_[static_cast<std::size_t>(k)].first)] = static_cast<std::int32_t>(k);
    }
  }

  std::vector<Item> items_;           ///< by node
  std::vector<std::int32_t> places_;  ///< of a node's item, by its number; -1: it has none
};

}  // namespace dipaco

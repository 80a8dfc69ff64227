#pragma once

#include <cstddef>
#include <vector>

#include "core/base/ids.hpp"

namespace dipaco {

/// One T for each node of a run, by its number. Addresses stay.
template <class T>
class ByNode {
 public:
  /// @param arguments  that each T is made of
  template <class... Arguments>
  explicit ByNode(std::size_t nodes, Arguments&... arguments) {
    all_.reserve(nodes);
    for (std::size_t k = 0; k < nodes; ++k) all_.emplace_back(arguments...);
  }

  std::size_t size() const { return all_.size(); }
  T& operator[](NodeId node) { return all_[static_cast<std::size_t>(index(node))]; }
  const T& operator[](NodeId node) const { return all_[static_cast<std::size_t>(index(node))]; }

 private:
  std::vector<T> all_;
};

}  // namespace dipaco

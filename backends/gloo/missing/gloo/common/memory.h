#pragma once

// Gloo's headers of its TCP transport include this one, and Debian's libgloo-dev does not ship it. What stands here is
// just what those headers name, with the layout that the library was built with: a weak and a shared pointer to a buffer
// of the caller's. Where a package has the real header, that one is found first.

#include <memory>

namespace gloo {

template <class T>
class WeakNonOwningPtr {
  std::weak_ptr<T> pointer_;
};

template <class T>
class NonOwningPtr {
  std::shared_ptr<T> pointer_;
};

/// Only buffers have it, and only the library makes those.
template <class T>
class ShareableNonOwningPtr;

}  // namespace gloo

#pragma once

#include <cstddef>
#include <functional>

namespace dipaco {

/// Calls work(0) ... work(count - 1), up to `threads` of them at a time, each once, on threads of its own (with one
/// thread: on the caller's, in order). Results belong at their index, so that no bit depends on `threads`.
/// @throws what the call with the lowest index threw; calls that had not begun by then are left out.
void side_by_side(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

/// side_by_side with so many threads, for those who are told how to call.
inline std::function<void(std::size_t count, const std::function<void(std::size_t)>& work)> on_threads(int threads) {
  return [threads](std::size_t count, const std::function<void(std::size_t)>& work) {
    side_by_side(count, threads, work);
  };
}

}  // namespace dipaco

#include "core/nn/process.hpp"

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "core/nn/torch.hpp"

namespace dipaco {

void use_one_thread() {
  if (at::get_num_threads() != 1) at::set_num_threads(1);
}

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kMost = 1 << 30;
  constexpr int kHeap = 64 << 20;  // of a thread: a pad of this size keeps empty ones
  ::mallopt(M_MMAP_THRESHOLD, kMost);
  ::mallopt(M_TRIM_THRESHOLD, kMost);
  ::mallopt(M_TOP_PAD, kHeap);
#endif
}

}  // namespace dipaco

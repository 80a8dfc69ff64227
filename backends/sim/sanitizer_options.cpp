// Part of every program that simulates, in builds with AddressSanitizer alone.

/// SimGrid's actors run on stacks that it switches by itself; clang's search for uses of a frame that was left takes
/// those for one stack.
extern "C" const char* __asan_default_options();  // NOLINT(readability-identifier-naming): the sanitizer's name

const char* __asan_default_options() {  // NOLINT(readability-identifier-naming)
  return "detect_stack_use_after_return=0";
}

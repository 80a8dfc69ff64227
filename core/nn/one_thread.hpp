#pragma once

namespace dipaco {

/// LibTorch computes with one intra-op thread on the calling thread from here on: the setting is each thread's own.
void use_one_thread();

}  // namespace dipaco

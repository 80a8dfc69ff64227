#pragma once

namespace dipaco {

/// LibTorch computes with one intra-op thread on the calling thread from here on: the setting is each thread's own.
void use_one_thread();

/// The process keeps the memory that it frees. A step frees and takes tens of MB of activations; giving them back to
/// the system in between costs a step a tenth of its time in page faults. Has no effect where the C library is not
/// glibc.
void keep_freed_memory();

}  // namespace dipaco

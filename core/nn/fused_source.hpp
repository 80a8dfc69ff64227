#pragma once

namespace dipaco {

extern const char kFusedSource[];  ///< fused_kernels.cu and fused_head.cu, one behind the other

}  // namespace dipaco

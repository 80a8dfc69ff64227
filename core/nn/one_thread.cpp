#include "core/nn/one_thread.hpp"

#include "core/nn/torch.hpp"

namespace dipaco {

void use_one_thread() {
  if (at::get_num_threads() != 1) at::set_num_threads(1);
}

}  // namespace dipaco

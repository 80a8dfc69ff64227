#include "core/transport/value_messages.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace dipaco {

Version version_in(const Base& base, ModuleId module) {
  const auto found = std::ranges::find(base, module, &BaseVersion::module);
  check(found != base.end(), "a base names all shared modules of its path");
  return found->version;
}

}  // namespace dipaco

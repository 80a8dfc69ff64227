#pragma once

#include <string>
#include <vector>

#include "core/checkpoint/checkpoint.hpp"
#include "core/transport/module_messages.hpp"

namespace dipaco {

// What made a version of a module, as facts of its file (docs/file-formats.md): `norm`, `scale`, `settled`, and one
// fact for each contribution, `applied.0`, ..., `dropped.0`, ...

void add_update(Checkpoint& checkpoint, const Update& update, const std::vector<SettledPath>& settled);

/// @throws DataError naming `source` where a fact is missing or is none
Update read_update(const Checkpoint& checkpoint, const std::string& source);
std::vector<SettledPath> read_settled(const Checkpoint& checkpoint, const std::string& source);

}  // namespace dipaco

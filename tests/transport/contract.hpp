#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/compute/compute.hpp"
#include "core/transport/transport.hpp"

namespace dipaco::contract {

/// What one node of a contract test does; it ends when the function returns.
using NodeBody = std::function<void(Transport&, const Compute&)>;

/// Runs each body as the node of its place, on one backend, until all have returned.
using RunNodes = std::function<void(const std::vector<NodeBody>&)>;

struct Case {
  std::string name;
  std::function<std::string(const RunNodes&)> run;  ///< "" where the contract held, else what did not
};

/// The clauses of transport.hpp that every backend keeps.
std::vector<Case> transport_cases();

}  // namespace dipaco::contract

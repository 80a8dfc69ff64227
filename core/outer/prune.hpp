#pragma once

#include <cstddef>
#include <span>

namespace dipaco {

/// Sets a share of each neuron's values to 0, by sign: those go first that point against the sum of the neuron's
/// values, then those that point with it; the smallest first, and of equal ones the first. A neuron is a row of a
/// matrix [out, in]. Pure: the same input gives the same bits, on any thread.
///
/// Source: DiLoCo (2311.08105), table 6: outer gradients are pruned per neuron, by sign, before they are averaged.
/// Choice: it prints no rule; this is the sign election of TIES (2306.01708).
/// @param values  [rows x columns] @param share  of each row's values, from 0 to below 1, rounded down
/// @throws std::logic_error unless whole rows are there
void prune_by_sign(std::span<float> values, std::size_t columns, double share);

}  // namespace dipaco

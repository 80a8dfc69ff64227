#pragma once

#include <cstddef>
#include <span>

namespace dipaco {

enum class PruneBy : bool { magnitude, sign };

/// Sets a share of each neuron's values to 0, the smallest first, and of equal ones the first. By sign those go before
/// others that point against the sum of the neuron's values. A neuron is a row of a matrix [out, in]. Pure: the same
/// input gives the same bits, on any thread.
///
/// Source: DiLoCo (2311.08105), table 6: outer gradients are pruned per neuron, by sign, before they are averaged.
/// Choice: it prints no rule. TIES (2306.01708), which it names, trims by magnitude and then elects signs.
/// @param values  [rows x columns] @param share  of each row's values, from 0 to below 1, rounded down
/// @throws std::logic_error unless whole rows are there
void prune(std::span<float> values, std::size_t columns, double share, PruneBy by);

}  // namespace dipaco

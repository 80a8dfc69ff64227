#include "core/coordinator/tables/doubts.hpp"

#include <vector>

namespace dipaco {

void Doubts::settled(const Gradient& gradient) {
  asked_.erase(gradient);
  made_from_.erase(gradient);
}

void Doubts::lose(std::map<Gradient, NodeId>& of, NodeId node) {
  std::vector<Gradient> its;
  for (const auto& [gradient, who] : of) {
    if (who == node) its.push_back(gradient);
  }
  for (const Gradient& gradient : its) {
    of.erase(gradient);
    lost(gradient);
  }
}

}  // namespace dipaco

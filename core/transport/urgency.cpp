#include "core/transport/urgency.hpp"

#include "core/transport/messages.hpp"

namespace dipaco {
namespace {

using Use = Urgency::Use;

/// In rounds a module's version has no owner in its name, and its number is that of the outer step it is needed at.
Urgency at(Version version, Use use, std::int32_t before = 0) {
  return version.owner == 0 ? Urgency{version.number - before, use} : Urgency{};
}

struct Judge {
  using Answer = std::optional<Urgency>;

  template <class Other>
  Answer operator()(const Other& /*message*/) const {
    return Urgency{};
  }
  Answer operator()(const Probe& /*message*/) const { return std::nullopt; }
  Answer operator()(const ModuleValues& m) const {
    return at(m.version, m.evaluates ? Use::evaluate : Use::begin_task);
  }
  Answer operator()(const PathState& m) const {
    return Urgency{m.state.version, m.state.first_moment.charged > 0 ? Use::restore_state : Use::evaluate};
  }
  Answer operator()(const PutPathState& m) const { return Urgency{number(task_of(m.state).outer_step), Use::end_task}; }
  Answer operator()(const OuterGradient& m) const {
    return m.base.owner == 0 ? Urgency{number(m.task.outer_step), Use::end_task} : Urgency{};
  }
  Answer operator()(const RelayedGradient& m) const { return (*this)(m.gradient); }
  Answer operator()(const GradientSum& m) const { return at(m.base, Use::end_task); }
  Answer operator()(const PutModule& m) const { return at(m.version, Use::end_task, 1); }
};

}  // namespace

std::optional<Urgency> urgency_of(const Message& message) { return std::visit(Judge{}, message.body); }

}  // namespace dipaco

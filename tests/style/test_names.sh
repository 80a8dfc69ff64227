#!/usr/bin/env bash
# Feeds scripts/lint.sh a header in the project's style, then the same header with one bad name after another. A configuration
# whose naming rules are switched off, which is not found, or whose options nobody reads, fails here.
set -euo pipefail
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

good='namespace dipaco {
enum class Role { worker, outer_executor };
constexpr int kMostSteps = 3;
struct StepOptions {
  int outer_steps{};
};
template <class Value>
class StepCounter {
 public:
  Value step_count(const StepOptions& step_options) const { return count_ + step_options.outer_steps; }

 private:
  Value count_{};
};
int add_steps(int first_step) {
  const int all_steps = first_step + kMostSteps;
  return all_steps + static_cast<int>(Role::outer_executor);
}
}  // namespace dipaco'

cp "$project/.clang-tidy" "$folder"
mkdir "$folder/core"
echo '#include "core/probe.hpp"' >"$folder/probe.cpp"

lint() { # HEADER
  printf '%s\n' "$1" >"$folder/core/probe.hpp"
  bash "$project/scripts/lint.sh" "$folder/probe.cpp" 2>&1
}

is_refused() { # HEADER
  ! lint "$1" >"$folder/found" && grep -q 'readability-identifier-naming' "$folder/found"
}

# The file itself must parse and pass, or the refusals below would prove nothing.
lint "$good"

for change in dipaco:Dipaco Role:role outer_executor:kOuterExecutor kMostSteps:most_steps kMostSteps:MOST_STEPS \
  StepOptions:step_options_t outer_steps:outerSteps Value:value_type StepCounter:step_counter step_count:stepCount \
  count_:count count_:m_count add_steps:AddSteps first_step:firstStep all_steps:allSteps; do
  is_refused "$(sed -E "s/\b${change%:*}\b/${change#*:}/g" <<<"$good")" ||
    { echo "clang-tidy accepts ${change#*:} in place of ${change%:*}" >&2; exit 1; }
done

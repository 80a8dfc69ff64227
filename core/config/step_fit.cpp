#include "core/config/step_fit.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/config/checks.hpp"

namespace dipaco {
namespace {

StepForm form_of(const InnerOptions& inner) {
  return {.bf16 = inner.precision == "bf16", .recompute = inner.recompute};
}

std::string gib(Bytes bytes) { return format_fixed(static_cast<double>(bytes.value) / (1 << 30), 1) + "GiB"; }

}  // namespace

std::string remedy_for_a_row(const ModelOptions& model, const StepForm& now, Bytes memory) {
  const auto fits = [&](bool bf16, bool recompute) {
    return step_memory(model, {.bf16 = bf16, .recompute = recompute}).rows_in(memory) > 0;
  };
  if (!now.bf16 && fits(true, now.recompute)) return "write inner.precision=bf16";
  if (!now.recompute && fits(now.bf16, true)) return "write inner.recompute=on";
  if (fits(true, true)) return "write inner.precision=bf16 and inner.recompute=on";
  return "take a smaller path, or a device with more memory";
}

void fit_steps(RunConfig& config, const std::string& file, const std::vector<Setting>& settings) {
  InnerOptions& inner = config.inner;
  if (inner.memory.empty()) return;
  const Checks checks(config, file, settings);
  const std::optional<Bytes> memory = parse_bytes(inner.memory);
  checks.require(memory.has_value(), "inner.memory", "is no number of bytes", "", "write one with its unit: 72GiB");
  const StepMemory step = step_memory(config.model, form_of(inner));
  const std::int64_t fit = step.rows_in(*memory), most = rows_at_a_time(inner);
  checks.require(fit > 0, "inner.memory", "does not hold a step of one row, which takes " + gib(step.with(1)), "",
                 remedy_for_a_row(config.model, form_of(inner), *memory));
  if (fit >= most) return;
  const std::int64_t rows = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(fit)));
  checks.require(inner.micro_batch == 0, "inner.micro_batch",
                 "is more rows than fit, with " + gib(step.with(most)) + " where there is", "inner.memory",
                 "write micro_batch=auto, or at most " + std::to_string(fit));
  inner.micro_batch = rows;
}

}  // namespace dipaco

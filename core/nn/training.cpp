#include "core/nn/training.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/nn/adamw.hpp"
#include "core/nn/process.hpp"
#include "core/nn/staging.hpp"
#include "core/trainer/schedule.hpp"

namespace dipaco {
namespace {

void check_finite(bool finite, Predicts predicts, InnerSteps step, const std::string& what) {
  if (finite) return;
  const std::string kind = predicts == Predicts::paths ? "router" : "inner";
  throw DataError(kind + " step " + std::to_string(step.value) + ": " + what +
                  " is not finite: the training has diverged; lower [inner] learning_rate, or clip");
}

/// What one step left: numbers that a GPU may still be making.
struct Made {
  at::Tensor loss;  ///< double
  at::Tensor norm;  ///< of the gradient
  Tokens trained;
};

/// Waits for the steps `made`, the first of which is `first`, and enters them in `report`.
void enter(const std::vector<Made>& made, Predicts predicts, InnerSteps first, InnerReport& report) {
  if (made.empty()) return;
  std::vector<at::Tensor> numbers;
  for (const Made& one : made) {
    numbers.push_back(one.loss);
    numbers.push_back(one.norm.to(at::kDouble));
  }
  const at::Tensor all = at::stack(numbers).cpu();
  const double* number = all.const_data_ptr<double>();
  for (const Made& one : made) {
    const double loss = *number++, norm = *number++;
    check_finite(std::isfinite(loss), predicts, first, "the loss");
    check_finite(std::isfinite(norm), predicts, first, "the gradient");
    report.loss_sum += loss;
    report.last_loss = loss;
    report.losses.push_back(loss);
    report.trained += one.trained;
    report.done += InnerSteps{1};
    first += InnerSteps{1};
  }
}

Gradient::Options gradient_options(const Training& training, const InnerPlan& plan) {
  return {.transformer = training.transformer,
          .predicts = training.predicts,
          .micro_batches = plan.micro_batches,
          .threads = plan.threads,
          .ranks = plan.ranks,
          .others = training.others,
          .rows = training.options.micro_batch,
          .recompute = training.options.recompute};
}

}  // namespace

InnerReport adamw_steps(const Training& training, TrainState& state, const BatchSource& batches, const InnerPlan& plan,
                        const std::atomic<bool>& stop) {
  use_one_thread();
  const Place& place = training.transformer.place;
  const at::DeviceGuard guard(place.device);
  const std::size_t n = state.parameters.size();
  check(state.first_moment.size() == n && state.second_moment.size() == n, "a state's vectors are of one size");
  const at::Tensor parameters = to_tensor(state.parameters, place);
  AdamW adamw(training.options, state, place);
  Gradient gradient(gradient_options(training, plan), parameters, training.layout, training.table);
  InnerReport report;
  std::vector<Made> made;
  InnerSteps step = state.step;
  for (; step < state.step + plan.count && !stop; step += InnerSteps{1}) {
    const Batch batch = batches(step);
    check(batch.length <= training.transformer.model.sequence, "rows of training are no longer than model.sequence");
    const at::Tensor loss = gradient.compute(batch);
    const double rate = learning_rate_at(training.options, step + plan.sat_out, plan.total);
    made.push_back({loss, adamw.step(parameters, gradient.value(), step, rate), Tokens{loss_positions(batch)}});
    if (!place.device.is_cpu()) continue;  // a GPU is told of the next step while it is at this one
    enter(made, training.predicts, step, report);
    made.clear();
  }
  enter(made, training.predicts, state.step, report);
  copy_to(state.parameters, parameters);
  copy_to(state.first_moment, adamw.first_moment());
  copy_to(state.second_moment, adamw.second_moment());
  state.step = step;
  return report;
}

BatchGradient clipped_gradient(const Training& training, std::span<const float> parameters, const Batch& batch,
                               InnerSteps step) {
  check(batch.length <= training.transformer.model.sequence, "rows of training are no longer than model.sequence");
  use_one_thread();
  const Place& place = training.transformer.place;
  const at::DeviceGuard guard(place.device);
  const at::Tensor flat = to_tensor(parameters, place);
  const InnerPlan plan{.ranks = training.options.ranks};
  Gradient gradient(gradient_options(training, plan), flat, training.layout, training.table);
  const double loss = gradient.compute(batch).item<double>();
  check_finite(std::isfinite(loss), training.predicts, step, "the loss");
  const at::Tensor values = gradient.value();
  const double norm = norm_of(values).item<double>();
  check_finite(std::isfinite(norm), training.predicts, step, "the gradient");
  const double clip = training.options.clip;
  if (clip > 0 && norm > clip) values.div_(norm / clip);
  return {to_vector(values), loss, Tokens{loss_positions(batch)}};
}

}  // namespace dipaco

#include "core/nn/training.hpp"

#include <cmath>
#include <string>

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
  Gradient gradient({training.transformer, training.predicts, plan.micro_batches, plan.threads}, parameters,
                    training.layout);
  InnerReport report;
  InnerSteps step = state.step;
  while (report.done < plan.count && !stop) {
    const Batch batch = batches(step);
    check(batch.length <= training.transformer.model.sequence, "rows of training are no longer than model.sequence");
    const double loss = gradient.compute(batch, training.table);
    check_finite(std::isfinite(loss), training.predicts, step, "the loss");
    const double rate = learning_rate_at(training.options, step + plan.sat_out, plan.total);
    check_finite(adamw.step(parameters, gradient.value(), step, rate), training.predicts, step, "the gradient");
    report.loss_sum += loss;
    report.last_loss = loss;
    report.losses.push_back(loss);
    report.trained += Tokens{loss_positions(batch)};
    report.done += InnerSteps{1};
    step += InnerSteps{1};
  }
  state = {to_vector(parameters), to_vector(adamw.first_moment()), to_vector(adamw.second_moment()), step};
  return report;
}

BatchGradient clipped_gradient(const Training& training, std::span<const float> parameters, const Batch& batch,
                               InnerSteps step) {
  check(batch.length <= training.transformer.model.sequence, "rows of training are no longer than model.sequence");
  use_one_thread();
  const Place& place = training.transformer.place;
  const at::DeviceGuard guard(place.device);
  const at::Tensor flat = to_tensor(parameters, place);
  Gradient gradient({training.transformer, training.predicts}, flat, training.layout);
  const double loss = gradient.compute(batch, training.table);
  check_finite(std::isfinite(loss), training.predicts, step, "the loss");
  const at::Tensor values = gradient.value();
  const double norm = at::linalg_vector_norm(values).item<double>();
  check_finite(std::isfinite(norm), training.predicts, step, "the gradient");
  const double clip = training.options.clip;
  if (clip > 0 && norm > clip) values.div_(norm / clip);
  return {to_vector(values), loss, Tokens{loss_positions(batch)}};
}

}  // namespace dipaco
